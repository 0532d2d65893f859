"""Files of the jobs of a cluster, to which the project file assigns them."""

from __future__ import annotations

from trainc.cli.parameters import InvalidParameter
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.project.projects import Projects


def files_of(files: list[str], projects: Projects | None, cluster: str) -> list[str]:
    """Return the files for a cluster: those that the project file assigns to no other."""
    if projects is None:
        return files
    owners = projects.clusters_of(files)
    others = {file for name, own in owners.items() if name not in ("", cluster) for file in own}
    return [file for file in files if file not in others]


def require_one_cluster(files: list[str], projects: Projects | None) -> None:
    """Raise InvalidParameter if the project file assigns files to several clusters."""
    names = [name for name in projects.clusters_of(files) if name] if projects is not None else []
    if len(names) > 1:
        message = f"the jobs belong to the clusters {', '.join(names)}: select one, or `all` with -o DIR/"
        raise InvalidParameter(message, "--cluster")
