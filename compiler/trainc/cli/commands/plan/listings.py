"""Manifests with the origins of their lines, for the HTML page of a plan."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.compiled import Compiled
from trainc.emit.manifest import Manifest
from trainc.provenance.comments import describe
from trainc.provenance.inputs import Inputs
from trainc.provenance.manifests import job_origins
from trainc.provenance.origins import Origin
from trainc.secrets.mask import Mask

Line = tuple[str, str]


def listings(jobs: list[Compiled]) -> list[list[Line]]:
    """Return for each job the lines of its manifests and the origin of each, empty for one without a value.

    Secrets are redacted, and objects that are Secrets, or lists of objects, are left out.
    """
    inputs = Inputs()
    return [
        [
            line
            for manifest, origins in zip(job.manifests(), job_origins(job), strict=True)
            if manifest.kind != "Secret" and not manifest.kind.endswith("List")
            for line in _lines(manifest, origins, inputs)
        ]
        for job in jobs
    ]


def _lines(manifest: Manifest, origins: list[Origin], inputs: Inputs) -> Iterator[Line]:
    titles: dict[int, str] = {}
    for origin in origins:
        for number in range(origin.leaf.line, origin.leaf.end + 1):
            titles.setdefault(number, describe(origin, inputs))
    mask = Mask(manifest.data())
    for number, text in enumerate(manifest.text.splitlines(), 1):
        yield mask(text), titles.get(number, "")
    yield "---", ""
