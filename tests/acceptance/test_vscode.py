"""The extension for VS Code in tools/vscode: its start with stubs, and its package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.acceptance.test_editor import PAGE

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "tools/vscode"
PACKAGE = json.loads((EXTENSION / "package.json").read_text())


@pytest.fixture
def npm() -> str:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        if "TRAINC_REQUIRE_NPM" in os.environ:
            pytest.fail("npm and node are not installed")
        pytest.skip("npm and node are not installed")
    return npm


def test_the_extension_starts_the_server(npm: str) -> None:
    run = subprocess.run(
        ["node", "--test", "--test-reporter=tap", EXTENSION / "extension.test.js"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    assert re.search(r"^# pass 6$", run.stdout, re.MULTILINE), run.stdout


@pytest.mark.slow
def test_the_package_has_the_client_and_the_license(npm: str, tmp_path: Path) -> None:
    folder = tmp_path / "tools/vscode"
    shutil.copytree(EXTENSION, folder, ignore=shutil.ignore_patterns("node_modules", "*.vsix"))
    shutil.copy(ROOT / "LICENSE", tmp_path)
    for command in ([npm, "install", "--silent", "--no-audit", "--no-fund"], [npm, "run", "package"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=400, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    names = zipfile.ZipFile(folder / f"trainc-{PACKAGE['version']}.vsix").namelist()
    main = "extension/node_modules/vscode-languageclient/lib/node/main.js"
    assert {"extension/extension.js", "extension/package.json", "extension/LICENSE.txt", main} <= {*names}
    assert not any("vsce" in name or name.endswith(".test.js") for name in names if name.count("/") < 4)


def test_the_page_and_the_extension_name_the_same_setting_and_file() -> None:
    assert f"trainc-{PACKAGE['version']}.vsix" in PAGE
    for name in PACKAGE["contributes"]["configuration"]["properties"]:
        assert f'"{name}"' in PAGE
