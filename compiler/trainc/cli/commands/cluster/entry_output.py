"""Entry of a cluster that `trainc cluster read` makes of the output of kubectl, and the command that prints that."""

from __future__ import annotations

from trainc.cli.commands.cluster import Options
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.input_files import read_files
from trainc.cli.live_objects import read_objects
from trainc.cli.output import write_text
from trainc.cli.parameters import InvalidParameter
from trainc.cluster.read import KINDS, KUEUE_KINDS, VOLUME_KINDS, entry_document, kubectl_command
from trainc.compiled import Outcome
from trainc.diagnostics.diagnostic import in_order
from trainc.emit.block import document
from trainc.plan.fields import Object
from trainc.secrets.mask import redact_excerpts
from trainc.status.documents import MAXIMUM_BYTES


def run_action(options: Options) -> int:
    """Print the line for a shell, or write the entry that the output of kubectl describes; return the exit code."""
    if options.action == "command":
        if options.files or options.label:
            name = "FILE" if options.files else "--label"
            raise InvalidParameter("`command` takes no file and no label", name)
        kinds = (*KINDS, *(VOLUME_KINDS if options.volumes else ()), *(KUEUE_KINDS if options.kueue else ()))
        write_text(kubectl_command(kinds) + "\n", options.output, [])
        return OK
    if options.action != "read":
        raise InvalidParameter(f"`{options.action}` is neither `command` nor `read`", "command|read")
    if options.kueue or options.volumes:
        kind, flag = ("queues", "--kueue") if options.kueue else ("volumes", "--volumes")
        raise InvalidParameter(f"`read` reads {kind} without it", flag)
    return _write_entry(options, options.files or ["-"])


def _write_entry(options: Options, files: list[str]) -> int:
    sources, errors = read_files(files, MAXIMUM_BYTES)
    objects: list[Object] = []
    for source in sources:
        own, problems = read_objects(source, source_help="pipe in the output of the line of `trainc cluster command`")
        objects, errors = [*objects, *own], [*errors, *problems]
        redact_excerpts(source)
    outcome = Outcome(jobs=[], diagnostics=in_order(errors))
    if not options.messages.report(outcome, files, "; nothing was written"):
        return WRONG_INPUT
    entry = entry_document(options.name, objects, options.label or [], counts_all_pods=options.used)
    if not entry["spec"]:
        kinds = "nodes, namespaces, quotas, queues or classes"
        raise InvalidParameter(f"the input has no {kinds}: run the line of `trainc cluster command`", "FILE")
    write_text(document(entry), options.output, files)
    return OK
