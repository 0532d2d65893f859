"""The compiler under Pyodide, CPython for WebAssembly: the same manifests and messages, byte for byte."""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import trainc
from tests.support.examples import ROOT
from tests.support.packages import WHEEL, build, copy_sources
from tests.support.requirements import npm_install
from tools.playground import LIBRARIES

VERSION = json.loads((ROOT / "playground" / "package.json").read_text("utf-8"))["dependencies"]["pyodide"]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pyodide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pyodide")
    npm_install(folder, f"pyodide@{VERSION}")
    return folder / "node_modules" / "pyodide" / "pyodide.mjs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the wheel, the libraries and the stand-in for rpds."""
    folder, packages = tmp_path_factory.mktemp("site"), Path(sysconfig.get_path("purelib"))
    build(copy_sources(tmp_path_factory.mktemp("sources")), tmp_path_factory.getbasetemp() / "wheel", "-t", "wheel")
    with zipfile.ZipFile(tmp_path_factory.getbasetemp() / "wheel" / WHEEL) as wheel:
        wheel.extractall(folder)
    for name in LIBRARIES:
        if name.endswith(".py"):
            shutil.copy(packages / name, folder)
        else:
            shutil.copytree(packages / name, folder / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copy(ROOT / "playground" / "rpds.py", folder)
    return folder


@pytest.fixture(scope="module")
def results(pyodide: Path, site: Path) -> dict[str, Any]:
    support = ROOT / "tests" / "support"
    script = [support / "pyodide.mjs", pyodide, support / "in_pyodide.py"]
    command: list[str | Path] = ["node", *script, f"{site}=/site", f"{ROOT}=/repository"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    milliseconds, _, text = done.stdout.partition("\n")
    results: dict[str, Any] = json.loads(text)
    first, last = results["seconds"][0], results["seconds"][-1]
    each = (last - first) / (len(results["seconds"]) - 1)
    print(f"Pyodide {int(milliseconds) / 1000:.1f} s, first compilation {first:.2f} s, the others {each * 1000:.0f} ms")
    return results


def test_every_golden_has_the_same_bytes(results: dict[str, Any]) -> None:
    goldens = sorted((ROOT / "golden").glob("*/*.yaml"))
    assert len(results["texts"]) == len(goldens) > 400
    for file in goldens:
        assert results["texts"][f"{file.parent.name}/{file.stem}"] == file.read_bytes().decode(), file


def test_faulty_jobs_have_the_same_messages(results: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainc.source.parser._libyaml", lambda: None)  # its syntax errors are worded differently
    assert len(results["faulty"]) > 100
    for name, output in results["faulty"].items():
        file = ROOT / "tests" / "acceptance" / "bad" / name
        expected = trainc("check", "--message-format", "json", file)
        assert [text.replace("/repository", str(ROOT)) for text in output] == [expected.out, expected.err]


def test_commands_work(results: dict[str, Any]) -> None:
    golden = (ROOT / "golden" / "torchrun" / "job.yaml").read_text("utf-8")
    assert results["written"] == [[0, "", ""], golden]
    example = ROOT / "examples" / "torchrun.yaml"
    for name in ("check", "plan"):
        assert results["commands"][name] == [*trainc(name, example)]
    error = "error: a rehearsal needs Linux namespaces, which this system doesn't have\n"
    assert results["commands"]["rehearse"] == [2, "", error]
