"""`trainc cluster`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import REQUIRED, InvalidParameter, argument, flag, option
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages


def command(
    action: str = argument(
        REQUIRED, metavar="command|read", help="Print the kubectl line, or make the entry of its output."
    ),
    files: list[str] | None = argument(
        None,
        metavar="[FILE...]",
        show_default=False,
        help="Output of kubectl.  [default: standard input]",
        is_list=True,
    ),
    name: str = option("cluster", "--name", metavar="NAME", help="Name of the cluster."),
    label: list[str] | None = option(
        None, "--label", is_list=True, metavar="KEY", help="Keep this label of nodes, too. Repeatable."
    ),
    used: bool = flag("--used", help="Count what all running pods request, not only those of DaemonSets."),
    kueue: bool = flag("--kueue", help="Ask for queues of Kueue, too."),
    volumes: bool = flag("--volumes", help="Ask for volumes and claims, too: which nodes can use them."),
    output: str = options.OUTPUT,
    messages: Messages = options.MESSAGE_FORMAT,
) -> int:
    """Make the entry of a cluster, by which --cluster judges jobs.

    The entry has no secrets and no names of people, nodes, pods or images. Read it before you commit it.

    sh -c "$(trainc cluster command)" | trainc cluster read --name prod -o prod.yaml
    """
    from trainc.cli.commands.cluster.entry_output import print_kubectl_command, write_entry

    if action == "command":
        if files or label:
            raise InvalidParameter("`command` takes no file and no label", "FILE" if files else "--label")
        return print_kubectl_command(output, volumes=volumes, kueue=kueue)
    if action != "read":
        raise InvalidParameter(f"`{action}` is neither `command` nor `read`", "command|read")
    if kueue or volumes:
        kind, option_ = ("queues", "--kueue") if kueue else ("volumes", "--volumes")
        raise InvalidParameter(f"`read` reads {kind} without it", option_)
    return write_entry(files or ["-"], name, label or [], output, messages, counts_all_pods=used)
