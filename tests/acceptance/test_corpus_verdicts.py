"""Public jobs have the verdict of their own system; corpus_verdicts/ has the reasons, a file for each kind."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.corpus import FOLDER, format_findings
from tests.support.requirements import public_jobs
from tools.imports import fill
from trainc.diagnostics.text import render
from trainc.driver import check_inputs
from trainc.frontend import read_sources
from trainc.span import Source
from trainc.target import Target

FILES = sorted((FOLDER / "corpus_verdicts").glob("*.yaml"))
VERDICTS: dict[str, list[dict[str, Any]]] = {file.stem: yaml.safe_load(file.read_text("utf-8")) for file in FILES}
CORPUS = public_jobs()
CASES = [
    pytest.param(kind, entry, key, id=f"{kind}-{entry['file'][-60:]}-{key}")
    for kind, entries in VERDICTS.items()
    for entry in entries
    for key in ("verdict", "filled")
    if key in entry
]


@pytest.mark.sample(25)
@pytest.mark.parametrize(("kind", "entry", "key"), CASES)
def test_a_public_job_has_the_verdict_of_its_system(kind: str, entry: dict[str, Any], key: str) -> None:
    assert entry["reason"]
    content = (CORPUS / kind / entry["file"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == entry["sha256"], "the file is another version"
    text = content.decode()
    source = Source(entry["file"], fill(text) if key == "filled" else text)
    diagnostics = check_inputs(read_sources([source]), Target()).diagnostics
    findings = [" ".join(finding.split()) for finding in format_findings(diagnostics)]
    assert findings == entry[key], render(diagnostics)


@pytest.mark.parametrize("kind", VERDICTS)
def test_every_public_job_has_a_verdict(kind: str) -> None:
    assert {path.name for path in Path(CORPUS, kind).iterdir()} == {entry["file"] for entry in VERDICTS[kind]}
