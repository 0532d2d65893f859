"""`trainc cluster`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.parameters import REQUIRED, InvalidParameter, argument, flag, option
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages
    from trainc.plan.fields import Object


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
    output: str = options.output("Output file."),
    messages: Messages = options.MESSAGE_FORMAT,
) -> int:
    """Make the entry of a cluster, by which --cluster judges jobs.

    The entry has no secrets and no names of people, nodes, pods or images. Read it before you commit it.

    sh -c "$(trainc cluster command)" | trainc cluster read --name prod -o prod.yaml
    """
    from trainc.cli.output import write_text
    from trainc.cluster.read import KINDS, KUEUE_KINDS, VOLUME_KINDS, kubectl_command

    if action == "command":
        if files or label:
            raise InvalidParameter("`command` takes no file and no label", "FILE" if files else "--label")
        kinds = (*KINDS, *(VOLUME_KINDS if volumes else ()), *(KUEUE_KINDS if kueue else ()))
        write_text(kubectl_command(kinds) + "\n", output, [])
        return OK
    if action != "read":
        raise InvalidParameter(f"`{action}` is neither `command` nor `read`", "command|read")
    if kueue or volumes:
        kind, option_ = ("queues", "--kueue") if kueue else ("volumes", "--volumes")
        raise InvalidParameter(f"`read` reads {kind} without it", option_)
    text = _read(files or ["-"], name, label or [], used, messages)
    if text is None:
        return WRONG_INPUT
    write_text(text, output, files or ["-"])
    return OK


def _read(files: list[str], name: str, labels: list[str], used: bool, messages: Messages) -> str | None:
    """Return the entry that the output of kubectl describes; None after errors, which are reported."""
    from trainc.cli.input_files import read_files
    from trainc.cli.live_objects import read_objects
    from trainc.cluster.read import entry_document
    from trainc.compiled import Outcome
    from trainc.diagnostics.diagnostic import in_order
    from trainc.emit.block import document
    from trainc.secrets.mask import redact_excerpts
    from trainc.status.documents import MAXIMUM_BYTES

    sources, errors = read_files(files, MAXIMUM_BYTES)
    objects: list[Object] = []
    for source in sources:
        own, problems = read_objects(source, source_help="pipe in the output of the line of `trainc cluster command`")
        objects, errors = [*objects, *own], [*errors, *problems]
        redact_excerpts(source)
    outcome = Outcome(jobs=[], diagnostics=in_order(errors))
    if not messages.report(outcome, files, "; nothing was written"):
        return None
    entry = entry_document(name, objects, labels, counts_all_pods=used)
    if not entry["spec"]:
        kinds = "nodes, namespaces, quotas, queues or classes"
        raise InvalidParameter(f"the input has no {kinds}: run the line of `trainc cluster command`", "FILE")
    return document(entry)
