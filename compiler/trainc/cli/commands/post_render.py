"""`trainc post-render`."""

from __future__ import annotations

from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.options import BACKEND, CLUSTER, MESSAGES, PROJECT, VALUES
from trainc.cli.streams import to_stdout
from trainc.record import Record
from trainc.systems.registry import DEFAULT
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages
    from trainc.cli.settings import Cluster, Configuration, Values


class Options(Record):
    """Replace the jobs of a Helm chart by their manifests.

    Helm's post-renderer plug-in runs it: manifests on standard input, manifests on standard output.
    """

    backend: str | None = BACKEND
    values: Values = VALUES
    cluster: Cluster = CLUSTER
    project: Configuration = PROJECT
    messages: Messages = MESSAGES


def render_jobs(options: Options) -> int:
    """Print the manifests on standard input, with those of each job in its place; return the exit code."""
    from trainc.cli.embedded_jobs import compile_embedded, is_job, read_manifests, replace_jobs

    target = options.cluster.target(options.backend or DEFAULT)
    projects = options.project.stating(options.backend).projects(["-"])
    messages = options.messages.of_project(projects)
    documents, source, errors = read_manifests()
    if errors:
        return messages.report_failure(errors, ["-"], "; nothing was written")
    if not any(map(is_job, documents)):
        to_stdout(source.text)
        return OK
    embedded = compile_embedded(documents, target, options.values.of(projects))
    if not messages.report(embedded.outcome, ["-"], "; nothing was written"):
        return WRONG_INPUT
    to_stdout(replace_jobs(documents, embedded.manifests))
    return OK
