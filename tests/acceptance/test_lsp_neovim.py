"""`trainc lsp` in Neovim without a screen: diagnostics and what a field becomes appear, and a file is formatted."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="the package pygls is not installed: pip install 'trainc[lsp]'")

from tests.support.examples import ROOT
from tests.support.reindent import reindent
from tests.support.requirements import unavailable

JOB = (ROOT / "examples/torchrun.yaml").read_text()
# Works since Neovim 0.7, which has no vim.lsp.start.
SCRIPT = """
local command = { "PYTHON", "-m", "trainc", "lsp" }
local client = vim.lsp.start_client({ name = "trainc", cmd = command, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, client)
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
for _, each in ipairs(vim.diagnostic.get(0)) do
  io.stdout:write(each.lnum .. " " .. each.message:gsub("\\n.*", "") .. "\\n")
end
vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.fn.readfile("good.yaml"))
vim.fn.search("launch:")
vim.wait(60000, function()
  local shown = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(), 10000)
  local result = shown and shown[client] and shown[client].result
  local text = result and result.contents.value or ""
  local is_checked = text:find("rendezvous**", 1, true) ~= nil
  if is_checked then io.stdout:write(text .. "\\n") end
  return is_checked
end, 200)
vim.cmd("edit! other.yaml")
vim.lsp.buf_attach_client(0, client)
FORMAT
vim.cmd("write! formatted.yaml")
vim.cmd("qa!")
"""
# `vim.lsp.buf.format` is new in Neovim 0.8.
FORMAT = """
if vim.lsp.buf.format then
  vim.lsp.buf.format({ timeout_ms = 60000 })
else
  vim.lsp.buf.formatting_sync(nil, 60000)
end
"""


@pytest.fixture
def neovim() -> str:
    program = shutil.which("nvim")
    if program is None:
        unavailable("neovim is not installed", "TRAINC_REQUIRE_NEOVIM")
    return program


@pytest.mark.slow
def test_diagnostics_and_a_hover_appear_and_a_file_is_formatted(neovim: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(JOB.replace("nprocPerNode: 8", "nprocPerNode: 9"))
    (tmp_path / "good.yaml").write_text(JOB)
    other = reindent(JOB, random.Random(1))
    (tmp_path / "other.yaml").write_text(other)
    (tmp_path / "run.lua").write_text(SCRIPT.replace("PYTHON", sys.executable).replace("FORMAT", FORMAT))
    line = next(number for number, text in enumerate(JOB.splitlines()) if "nprocPerNode: 8" in text)
    command = [neovim, "--headless", "-u", "NONE", "a.yaml", "-c", "luafile run.lua"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "compiler")}
    run = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert f"{line} 9 processes per pod, but only 8 GPUs" in run.stdout, run.stderr
    assert "- **launcher**: torchrun, 4 nodes, 8 processes per pod" in run.stdout, run.stderr
    assert other != JOB
    assert (tmp_path / "formatted.yaml").read_text() == JOB, run.stderr
