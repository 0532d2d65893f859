"""Jobs of a cluster, which they name, or to which the project file assigns their files."""

from __future__ import annotations

from trainc.cli.input_files import ListedFile
from trainc.cli.parameters import InvalidParameter
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.compiled import Outcome
    from trainc.project.projects import Projects


def select_jobs(files: list[str], projects: Projects | None, cluster: str) -> None:
    """Leave out jobs of other clusters, but for those of files that are arguments themselves."""
    if projects is not None:
        projects.select(cluster, [name for name in files if isinstance(name, ListedFile)])


def require_one_cluster(outcome: Outcome) -> None:
    """Raise InvalidParameter for jobs of several clusters."""
    names = sorted({job.target.cluster for job in outcome.jobs} - {""})
    if len(names) > 1:
        choice = "select one, or `all`, which writes a directory for each"
        raise InvalidParameter(f"the jobs belong to the clusters {', '.join(names)}: {choice}", "--cluster")
