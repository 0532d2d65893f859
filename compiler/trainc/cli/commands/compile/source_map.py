"""`trainc compile --source-map FILE` and `--comments`."""

from __future__ import annotations

import os

from trainc.cli.output import Destination, is_folder, is_stream, manifest_texts, write_text
from trainc.cli.parameters import InvalidParameter
from trainc.compiled import Compiled, Outcome
from trainc.provenance.comments import with_comments
from trainc.provenance.manifests import job_origins, own_manifests
from trainc.provenance.origins import Origin
from trainc.provenance.source_map import Written, source_map, to_json

_MAP, _COMMENTS = "--source-map", "--comments"
JobOrigins = list[list[Origin]]  # of each manifest of a job


class SourceMap:
    """Map of one compilation: its file, None for comments only, and the origins of the jobs."""

    def __init__(self, name: str | None, comments: bool, destination: Destination, writes_nothing: bool) -> None:
        """Raises InvalidParameter for options that conflict."""
        if comments and destination.form == "json":
            raise InvalidParameter("requires YAML: JSON has no comments", _COMMENTS)
        if name is not None:
            _check_name(name, destination, writes_nothing)
        self._name = name
        self._comments = comments
        self._destination = destination
        self._origins: list[JobOrigins] = []

    def of(self, outcome: Outcome) -> Outcome:
        """Determine the origins of all jobs; return the outcome, with comments if they are requested."""
        self._origins = [job_origins(job) for job in outcome.jobs]
        if not self._comments:
            return outcome
        pairs = zip(outcome.jobs, self._origins, strict=True)
        return outcome.replace(jobs=[with_comments(job, origins) for job, origins in pairs])

    def write(self, jobs: list[Compiled]) -> None:
        """Write the map of the manifests. Raises OSError if it can't be written."""
        if self._name is None:
            return
        manifests = {
            id(job): list(zip(job.manifests(), own, strict=True)) for job, own in zip(jobs, self._origins, strict=True)
        }
        files = [
            Written(
                name=path,
                text=text,
                manifests=[each for job in own for each in manifests[id(job)]],
                targets=[(job.target, own_manifests(job)) for job in own],
            )
            for path, text, own in manifest_texts(jobs, self._destination)
        ]
        write_text(to_json(source_map(files)), self._name, self._destination.inputs)


def _check_name(name: str, destination: Destination, writes_nothing: bool) -> None:
    if writes_nothing:
        raise InvalidParameter("conflicts with --check and --dry-run, which write nothing", _MAP)
    if is_stream(name) and destination.is_stream:
        raise InvalidParameter("requires a file, or -o FILE: manifests and map would be one stream", _MAP)
    if destination.is_stream:
        return
    path, target = os.path.realpath(name), os.path.realpath(destination.path)
    if path == target or is_folder(name):
        raise InvalidParameter("requires a file of its own", _MAP)
    if destination.is_folder and os.path.dirname(path) == target and name.endswith((".json", ".yaml", ".yml")):
        raise InvalidParameter(f"`kubectl apply -f {destination.path}` would read this file; name it {name}.map", _MAP)
