"""`trainc krm-function`."""

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
    """Replace the jobs of a ResourceList by their manifests.

    kustomize runs it as a generator or transformer: a KRM function, with a ResourceList on standard input and output.
    """
    from trainc.cli.commands.krm_function.resource_list import read_list

    target = cluster.target(backend or DEFAULT)
    resources = read_list()
    if isinstance(resources, list):
        return messages.report_failure(resources, ["-"])
    projects = project.stating(backend).projects(["-", *resources.job_files()])
    messages, values = messages.of_project(projects), values.of(projects)
    result = resources.compile(target, values)
    diagnostics = messages.selected(result.outcome.diagnostics)
    passes = messages.report(result.outcome, ["-"])
    to_stdout(resources.text(result, diagnostics))
    return OK if passes else WRONG_INPUT
