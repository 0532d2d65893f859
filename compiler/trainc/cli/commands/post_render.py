"""`trainc post-render`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.streams import to_stdout
from trainc.systems.registry import DEFAULT
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages
    from trainc.cli.settings import Cluster, Configuration, Values


def command(
    backend: str | None = options.BACKEND,
    values: Values = options.VALUES,
    cluster: Cluster = options.CLUSTER,
    project: Configuration = options.PROJECT,
    messages: Messages = options.MESSAGES,
) -> int:
    """Replace the jobs of a Helm chart by their manifests.

    Helm's post-renderer plug-in runs it: manifests on standard input, manifests on standard output.
    """
    from trainc.cli.embedded_jobs import compile_embedded, is_job, read_manifests, replace_jobs

    target = cluster.target(backend or DEFAULT)
    projects = project.stating(backend).projects(["-"])
    messages, values = messages.of_project(projects), values.of(projects)
    documents, source, errors = read_manifests()
    if errors:
        return messages.report_failure(errors, ["-"], "; nothing was written")
    if not any(map(is_job, documents)):
        to_stdout(source.text)
        return OK
    result = compile_embedded(documents, target, values)
    if not messages.report(result.outcome, ["-"], "; nothing was written"):
        return WRONG_INPUT
    to_stdout(replace_jobs(documents, result.manifests))
    return OK
