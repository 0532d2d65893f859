"""`trainc krm-function`."""

from __future__ import annotations

from trainc.cli import options
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.inputs import Cluster
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
    from trainc.cli.exit_codes import OK, WRONG_INPUT
    from trainc.cli.inputs import read_files
    from trainc.cli.krm_function import read_list
    from trainc.cli.streams import to_stdout
    from trainc.driver import Outcome
    from trainc.source.load import MANIFESTS_BYTES, load

    chosen = cluster.target(backend)
    sources, errors = read_files(["-"], MANIFESTS_BYTES)
    documents, problems = load(sources[0], MANIFESTS_BYTES) if sources else ([], [])
    problems = [*errors, *problems]
    resources = problems or read_list(documents, sources[0])
    if isinstance(resources, list):
        messages.report(Outcome(jobs=[], diagnostics=resources), ["-"])
        return WRONG_INPUT
    result = resources.compile(chosen, set or [])
    diagnostics = messages.selected(result.outcome.diagnostics)
    passes = messages.report(result.outcome, ["-"])
    to_stdout(resources.text(result, diagnostics))
    return OK if passes else WRONG_INPUT
