"""Public PyTorchJobs have the verdict of their own system; corpus_verdicts.yaml has the reasons."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.corpus import FOLDER, format_findings
from tests.support.facts import corpus_folder
from tools.imports import fill
from trainc.diagnostics.text import render
from trainc.driver import check_inputs
from trainc.frontend import read_sources
from trainc.span import Source
from trainc.target import Target

VERDICTS: list[dict[str, Any]] = yaml.safe_load((FOLDER / "corpus_verdicts.yaml").read_text("utf-8"))
CORPUS = corpus_folder()
if CORPUS is None:
    pytest.skip("no public jobs: no ../shared/corpus, and TRAINC_CORPUS names no folder", allow_module_level=True)


def names(entry: Any) -> str:
    return str(entry["file"])[-60:]


@pytest.mark.parametrize("entry", VERDICTS, ids=names)
@pytest.mark.parametrize("key", ["verdict", "filled"])
def test_a_public_job_has_the_verdict_of_its_system(entry: dict[str, Any], key: str) -> None:
    assert entry["reason"]
    assert CORPUS is not None
    content = (CORPUS / "pytorchjob" / entry["file"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == entry["sha256"], "the file is another version"
    if key not in entry:
        return
    text = content.decode()
    source = Source(entry["file"], fill(text) if key == "filled" else text)
    diagnostics = check_inputs(read_sources([source]), Target()).diagnostics
    findings = [" ".join(finding.split()) for finding in format_findings(diagnostics)]
    assert findings == entry[key], render(diagnostics)


def test_every_public_pytorchjob_has_a_verdict() -> None:
    assert CORPUS is not None
    assert {path.name for path in Path(CORPUS, "pytorchjob").iterdir()} == {entry["file"] for entry in VERDICTS}
