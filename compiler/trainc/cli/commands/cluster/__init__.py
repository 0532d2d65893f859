"""`trainc cluster`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import REQUIRED, argument, flag, option
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages


class Options(Record):
    """Make the entry of a cluster, by which --cluster judges jobs.

    The entry has no secrets and no names of people, nodes, pods or images. Read it before you commit it.

    sh -c "$(trainc cluster command)" | trainc cluster read --name prod -o prod.yaml
    """

    action: str = argument(
        REQUIRED, metavar="command|read", help="Print the kubectl line, or make the entry of its output."
    )
    files: list[str] | None = argument(
        None,
        metavar="[FILE...]",
        show_default=False,
        help="Output of kubectl.  [default: standard input]",
        is_list=True,
    )
    name: str = option("cluster", "--name", metavar="NAME", help="Name of the cluster.")
    label: list[str] | None = option(
        None, "--label", is_list=True, metavar="KEY", help="Keep this label of nodes, too. Repeatable."
    )
    used: bool = flag("--used", help="Count what all running pods request, not only those of DaemonSets.")
    kueue: bool = flag("--kueue", help="Ask for queues of Kueue, too.")
    volumes: bool = flag("--volumes", help="Ask for volumes and claims, too: which nodes can use them.")
    output: str = options.OUTPUT
    messages: Messages = options.MESSAGE_FORMAT
