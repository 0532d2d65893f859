"""The extension for VS Code in tools/vscode: its start with stubs, its package, and the package in VS Code."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.acceptance.test_editor import PAGE
from tests.support.chromium import browser, chromium
from tests.support.examples import ROOT
from tests.support.files import write
from tests.support.requirements import npm, npm_install
from tests.support.vscode import Workbench, address, install

EXTENSION = ROOT / "tools/vscode"
CONTROL, SHIFT = 2, 8  # modifiers of keys
PACKAGE = json.loads((EXTENSION / "package.json").read_text())


def test_the_extension_starts_the_server() -> None:
    npm()
    run = subprocess.run(
        ["node", "--test", "--test-reporter=tap", EXTENSION / "extension.test.js"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    assert re.search(r"^# pass 6$", run.stdout, re.MULTILINE), run.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("vscode")
    folder = root / "tools/vscode"
    shutil.copytree(EXTENSION, folder, ignore=shutil.ignore_patterns("node_modules", "*.vsix"))
    shutil.copy(ROOT / "LICENSE", root)
    npm_install(folder)
    done = subprocess.run(
        [npm(), "run", "package"], cwd=folder, capture_output=True, text=True, timeout=400, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / f"trainc-{PACKAGE['version']}.vsix"


@pytest.mark.slow
def test_the_package_has_the_client_and_the_license(package: Path) -> None:
    names = zipfile.ZipFile(package).namelist()
    main = "extension/node_modules/vscode-languageclient/lib/node/main.js"
    assert {"extension/extension.js", "extension/package.json", "extension/LICENSE.txt", main} <= {*names}
    assert not any("vsce" in name or name.endswith(".test.js") for name in names if name.count("/") < 4)


@pytest.mark.slow
def test_vs_code_shows_a_diagnostic_applies_its_fix_and_formats(package: Path, tmp_path: Path) -> None:
    pytest.importorskip("pygls", reason="the package pygls is not installed: pip install 'trainc[lsp]'")
    chromium()
    directory = install(tmp_path / "code")
    program = write(
        tmp_path / "trainc", f'#!/bin/sh\nPYTHONPATH="{ROOT}/compiler" exec "{sys.executable}" -m trainc "$@"\n'
    )
    program.chmod(0o755)
    job = (ROOT / "examples/torchrun.yaml").read_text()
    file = tmp_path / "jobs/a.yaml"
    write(file, job.replace("nprocPerNode: 8", "nprocPerNode: 9").replace("\n  ", "\n      "))
    workbench = Workbench(directory, tmp_path / "data", package, {"trainc.command": str(program)})
    with workbench.running() as host, browser(tmp_path / "profile") as window:
        page = window.page(address(host, file))
        buttons = "[...document.querySelectorAll('.monaco-dialog-box .monaco-button')]"
        page.wait(f"{buttons}.length")
        page.evaluate(f"{buttons}.find(each => each.innerText.startsWith('No, ')).click()")  # Restricted Mode
        page.wait("document.querySelector('.squiggly-error')")
        page.evaluate("document.querySelector('.monaco-editor .native-edit-context, .monaco-editor textarea').focus()")
        page.key("F8")  # to the next problem
        message = "9 processes per pod, but only 8 GPUs"
        page.wait(f"document.querySelector('.marker-widget')?.innerText.includes('{message}')")
        page.key(".", CONTROL)
        page.wait("document.querySelector('.action-widget')?.innerText.includes('remove nprocPerNode')")
        page.key("Enter")
        page.wait("!document.querySelector('.squiggly-error')")
        page.key("I", CONTROL | SHIFT)  # Format Document on Linux
        page.wait("[...document.querySelectorAll('.view-line')].some(each => /^\\s{2}image/.test(each.innerText))")
        page.key("s", CONTROL)
        end = time.monotonic() + 60
        while file.read_text() != job.replace("{nprocPerNode: 8}", "{}"):
            assert time.monotonic() < end, file.read_text()
            time.sleep(0.1)
    shutil.rmtree(tmp_path / "code")  # 300 MB


def test_the_page_and_the_extension_name_the_same_setting_and_file() -> None:
    assert f"trainc-{PACKAGE['version']}.vsix" in PAGE
    for name in PACKAGE["contributes"]["configuration"]["properties"]:
        assert f'"{name}"' in PAGE
