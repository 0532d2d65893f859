"""Entry of a cluster that `trainc cluster read` makes of the output of kubectl, and the command that prints that."""

from __future__ import annotations

from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.input_files import read_files
from trainc.cli.live_objects import read_objects
from trainc.cli.messages import Messages
from trainc.cli.output import write_text
from trainc.cli.parameters import InvalidParameter
from trainc.cluster.read import KINDS, KUEUE_KINDS, VOLUME_KINDS, entry_document, kubectl_command
from trainc.compiled import Outcome
from trainc.diagnostics.diagnostic import in_order
from trainc.emit.block import document
from trainc.plan.fields import Object
from trainc.secrets.mask import redact_excerpts
from trainc.status.documents import MAXIMUM_BYTES


def print_kubectl_command(output: str, *, volumes: bool, kueue: bool) -> int:
    """Print the line for a shell; return the exit code."""
    kinds = (*KINDS, *(VOLUME_KINDS if volumes else ()), *(KUEUE_KINDS if kueue else ()))
    write_text(kubectl_command(kinds) + "\n", output, [])
    return OK


def write_entry(
    files: list[str], name: str, labels: list[str], output: str, messages: Messages, *, counts_all_pods: bool
) -> int:
    """Write the entry that the output of kubectl describes, unless it has errors; return the exit code."""
    sources, errors = read_files(files, MAXIMUM_BYTES)
    objects: list[Object] = []
    for source in sources:
        own, problems = read_objects(source, source_help="pipe in the output of the line of `trainc cluster command`")
        objects, errors = [*objects, *own], [*errors, *problems]
        redact_excerpts(source)
    outcome = Outcome(jobs=[], diagnostics=in_order(errors))
    if not messages.report(outcome, files, "; nothing was written"):
        return WRONG_INPUT
    entry = entry_document(name, objects, labels, counts_all_pods=counts_all_pods)
    if not entry["spec"]:
        kinds = "nodes, namespaces, quotas, queues or classes"
        raise InvalidParameter(f"the input has no {kinds}: run the line of `trainc cluster command`", "FILE")
    write_text(document(entry), output, files)
    return OK
