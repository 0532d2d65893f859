"""`trainc post-render`."""

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
    """Replace the jobs of a Helm chart by their manifests.

    Helm's post-renderer plug-in runs it: manifests on standard input, manifests on standard output.
    """
    from trainc.cli.embedded_jobs import compile_embedded, is_job
    from trainc.cli.exit_codes import OK, WRONG_INPUT
    from trainc.cli.inputs import read_files
    from trainc.cli.post_render import rendered
    from trainc.cli.streams import to_stdout
    from trainc.driver import Outcome
    from trainc.source.load import MANIFESTS_BYTES, load

    chosen = cluster.target(backend)
    sources, errors = read_files(["-"], MANIFESTS_BYTES)
    documents, problems = load(sources[0], MANIFESTS_BYTES) if sources else ([], [])
    if errors or problems:
        messages.report(Outcome(jobs=[], diagnostics=[*errors, *problems]), ["-"], "; nothing was written")
        return WRONG_INPUT
    if not any(map(is_job, documents)):
        to_stdout(sources[0].text)
        return OK
    result = compile_embedded(documents, chosen, set or [])
    if not messages.report(result.outcome, ["-"], "; nothing was written"):
        return WRONG_INPUT
    to_stdout(rendered(documents, result.manifests))
    return OK
