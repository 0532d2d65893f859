"""`trainc krm-function`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.streams import to_stdout
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.compilation import Cluster
    from trainc.cli.messages import Messages


def command(
    backend: str = options.BACKEND,
    set: list[str] | None = options.SETS,
    cluster: Cluster = options.CLUSTER,
    messages: Messages = options.MESSAGES,
) -> int:
    """Replace the jobs of a ResourceList by their manifests.

    kustomize runs it as a generator or transformer: a KRM function, with a ResourceList on standard input and output.
    """
    from trainc.cli.commands.krm_function.resource_list import parse_list
    from trainc.cli.embedded_jobs import read_manifests
    from trainc.driver import Outcome

    target = cluster.target(backend)
    documents, source, errors = read_manifests()
    resources = errors or parse_list(documents, source)
    if isinstance(resources, list):
        messages.report(Outcome(jobs=[], diagnostics=resources), ["-"])
        return WRONG_INPUT
    result = resources.compile(target, set or [])
    diagnostics = messages.selected(result.outcome.diagnostics)
    passes = messages.report(result.outcome, ["-"])
    to_stdout(resources.text(result, diagnostics))
    return OK if passes else WRONG_INPUT
