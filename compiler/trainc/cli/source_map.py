"""`trainc compile --source-map FILE` and `--comments`."""

from __future__ import annotations

import os

from trainc.cli.output import is_folder, is_stream, manifest_texts, write_text
from trainc.cli.parameters import InvalidParameter
from trainc.driver import Compiled, Outcome
from trainc.emit.manifest import Manifest
from trainc.provenance.comments import with_comments
from trainc.provenance.manifests import job_origins
from trainc.provenance.origins import Origin
from trainc.provenance.source_map import Written, source_map, to_json

MAP, COMMENTS = "--source-map", "--comments"
JobOrigins = list[list[Origin]]  # of each manifest of a job


class SourceMap:
    """Map of one compilation: its file, None for comments only, and the origins of the jobs."""

    def __init__(self, name: str | None, comments: bool, output: str, form: str, writes_nothing: bool) -> None:
        """Raises InvalidParameter for options that conflict."""
        if comments and form == "json":
            raise InvalidParameter("requires YAML: JSON has no comments", COMMENTS)
        if name is not None:
            _check_name(name, output, writes_nothing)
        self._name = name
        self._comments = comments
        self._output = output
        self._form = form
        self._origins: list[JobOrigins] = []

    def of(self, outcome: Outcome) -> Outcome:
        """Determine the origins of all jobs; return the outcome, with comments if they are requested."""
        self._origins = [job_origins(job) for job in outcome.jobs]
        if not self._comments:
            return outcome
        pairs = zip(outcome.jobs, self._origins, strict=True)
        return outcome.replace(jobs=[with_comments(job, origins) for job, origins in pairs])

    def write(self, jobs: list[Compiled], inputs: list[str]) -> None:
        """Write the map of the manifests. Raises OSError if it can't be written."""
        if self._name is None:
            return
        manifests = {id(job): with_origins(job, own) for job, own in zip(jobs, self._origins, strict=True)}
        files = [
            Written(name=path, text=text, manifests=[each for job in own for each in manifests[id(job)]])
            for path, text, own in manifest_texts(jobs, self._output, self._form)
        ]
        write_text(to_json(source_map(files)), self._name, inputs)


def with_origins(job: Compiled, origins: JobOrigins) -> list[tuple[Manifest, list[Origin]]]:
    """Return the manifests of a job with the origins of each."""
    return list(zip(job.manifests(), origins, strict=True))


def _check_name(name: str, output: str, writes_nothing: bool) -> None:
    if writes_nothing:
        raise InvalidParameter("conflicts with --check and --dry-run, which write nothing", MAP)
    if is_stream(name) and is_stream(output):
        raise InvalidParameter("requires a file, or -o FILE: manifests and map would be one stream", MAP)
    if is_stream(output):
        return
    path, target = os.path.realpath(name), os.path.realpath(output)
    if path == target or is_folder(name):
        raise InvalidParameter("requires a file of its own", MAP)
    if is_folder(output) and os.path.dirname(path) == target and name.endswith((".json", ".yaml", ".yml")):
        raise InvalidParameter(f"`kubectl apply -f {output}` would read this file; name it {name}.map", MAP)
