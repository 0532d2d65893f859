"""The recipes of docs/editors.md, in the editors that are installed; in the language server alone for the others."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from tests.acceptance.test_editor import HEAD, LAUNCH, PAGE, RUN, command, schema
from tests.support.language_server import LanguageServer

__all__ = ["command", "schema"]  # fixtures
pytestmark = pytest.mark.slow
JOB, MESSAGE = f"{HEAD}{LAUNCH}{RUN}  wrkers: 2\n", "Property wrkers is not allowed."
# What a user does in the editor: open the file, wait for its errors.
NEOVIM = """
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
for _, each in ipairs(vim.diagnostic.get(0)) do print(each.message) end
vim.cmd("qa!")
"""
EMACS = """
(package-initialize)
(load "~/init.el")
(find-file "~/mnist.job.yaml")
(setq eglot-sync-connect t)
(call-interactively 'eglot)
(let ((tries 0))
  (while (and (< tries 600) (null (flymake-diagnostics)))
    (setq tries (1+ tries))
    (accept-process-output nil 0.1)))
(dolist (each (flymake-diagnostics)) (princ (flymake-diagnostic-text each)))
"""


def code_blocks(language: str) -> list[str]:
    """Return the code of a language on the page."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def home(command: list[str | Path], schema: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home directory with the schema and a job, and the language server on the path."""
    shutil.copy(schema, tmp_path / "trainingjob.json")
    (tmp_path / "mnist.job.yaml").write_text(JOB)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{Path(command[0]).parent}:{os.environ['PATH']}")
    return tmp_path


@pytest.mark.parametrize("editor", ["VS Code", "Helix"])
def test_settings_are_those_of_the_language_server(editor: str, command: list[str | Path], home: Path) -> None:
    if editor == "VS Code":
        schemas = json.loads(code_blocks("json")[0])["yaml.schemas"]
    else:
        text = code_blocks("toml")[0]
        schemas = tomllib.loads(text)["language-server"]["yaml-language-server"]["config"]["yaml"]["schemas"]
    assert schemas == {"/home/me/trainingjob.json": "*.job.yaml"}
    settings = {path.replace("/home/me", str(home)): pattern for path, pattern in schemas.items()}
    with closing(LanguageServer(command, settings, home / "any" / "folder", "{}.job.yaml")) as server:
        assert server.diagnose(JOB) == [MESSAGE]


def test_neovim_shows_the_message(home: Path) -> None:
    version = "NVIM v0.0"
    if shutil.which("nvim"):
        version = subprocess.run(["nvim", "--version"], check=True, capture_output=True, text=True).stdout
    numbers = re.match(r"NVIM v(\d+)\.(\d+)", version)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < (0, 11):
        pytest.skip("nvim 0.11 is not installed")
    (home / "init.lua").write_text(code_blocks("lua")[0])
    (home / "test.lua").write_text(NEOVIM)
    command = ["nvim", "--headless", "-u", "init.lua", "mnist.job.yaml", "-c", "luafile test.lua"]
    done = subprocess.run(command, cwd=home, check=True, capture_output=True, text=True, timeout=120)
    assert done.stderr.strip() == MESSAGE


def test_emacs_shows_the_message(home: Path) -> None:
    if shutil.which("emacs") is None:
        pytest.skip("emacs is not installed")
    features = [
        "emacs",
        "-q",
        "--batch",
        "--eval",
        "(progn (package-initialize) (require 'eglot) (require 'yaml-mode))",
    ]
    if subprocess.run(features, check=False, capture_output=True).returncode:
        pytest.skip("emacs has no eglot or yaml-mode")
    (home / "init.el").write_text(code_blocks("lisp")[0])
    (home / "test.el").write_text(EMACS)
    command = ["emacs", "-q", "--batch", "--load", "test.el"]
    done = subprocess.run(command, cwd=home, check=True, capture_output=True, text=True, timeout=120)
    assert MESSAGE in done.stdout
