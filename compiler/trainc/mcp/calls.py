"""Calls of the command line for an agent: of texts, or of files below given directories, with bounded sizes.

Each call is a process of its own in an empty directory, so that a text can refer to no file of the machine, and a call
that takes too long can be ended. Checks of a project file are code, which an agent could write: they don't run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from mcp.server.mcpserver.exceptions import ToolError

from trainc.secrets.text import redact
from trainc.well_known import PROJECT_FILE

MAX_INPUT = 1 << 20  # bytes of one text
MAX_OUTPUT = 1 << 18  # characters of an output: about 60,000 tokens
TIMEOUT = 60.0  # seconds
_WITH_PROJECT = ("check", "compile", "plan", "diff")


class Result(TypedDict):
    """What a call printed. Secrets are masked; `truncated` if the output is longer than 256 Ki characters."""

    exit_code: int
    output: str
    messages: str
    masked: bool
    truncated: bool


class Caller:
    """Calls with files below `roots` only; without roots, with texts only."""

    def __init__(self, roots: Sequence[str] = ()) -> None:
        self.roots = [os.path.realpath(root) for root in roots]

    def call(self, command: str, options: Sequence[str], texts: Mapping[str, str], paths: Sequence[str] = ()) -> Result:
        """Run a command with the texts as files of these names, or with the files at the paths.

        Raises ToolError for paths outside the roots and for texts that are too large.
        """
        with tempfile.TemporaryDirectory(prefix="trainc-mcp-") as directory:
            for name, text in texts.items():
                content = text.encode("utf-8", "surrogatepass")
                if len(content) > MAX_INPUT:
                    raise ToolError(f"{name} has {len(content):,} bytes: at most {MAX_INPUT:,} are read")
                Path(directory, name).write_bytes(content)
            files = [self._resolve(path) for path in paths]
            project = [self._project_option(files), "--no-checks"] if command in _WITH_PROJECT else []
            return _run([command, *project, *options, *(files or texts)], directory)

    def _resolve(self, path: str) -> str:
        """Return the file or directory, without links. Raises ToolError if it is not below a root."""
        if not self.roots:
            raise ToolError("this server reads no files: pass the text, or start it with --root DIR")
        # A relative path starts at a root, or at the working directory of the server.
        candidates = [*(os.path.join(root, path) for root in self.roots), path]
        real = None if "\0" in path else next(filter(self._is_below_a_root, map(os.path.realpath, candidates)), None)
        if real is None:
            raise ToolError(f"no file {path!r} below {' or '.join(self.roots)}")
        for file in _yaml_files(real) if os.path.isdir(real) else [real]:
            if not self._is_below_a_root(os.path.realpath(file)) or not os.path.isfile(file):
                raise ToolError(f"{file} is not a file below {' or '.join(self.roots)}")
        return real

    def _is_below_a_root(self, path: str) -> bool:
        """Return whether an absolute path without links exists and is below a root."""
        return any(os.path.commonpath([root, path]) == root for root in self.roots) and os.path.exists(path)

    def _project_option(self, files: Sequence[str]) -> str:
        """Return the option for the nearest project file above the files, but below a root; none for texts."""
        if not files:
            return "--no-config"
        folder = Path(os.path.commonpath(files))
        for parent in (folder, *folder.parents):
            file = parent / PROJECT_FILE
            if file.is_file() and self._is_below_a_root(os.path.realpath(file)):
                return f"--config={file}"
        return "--no-config"


def _yaml_files(directory: str) -> Iterator[str]:
    """Yield the YAML files below a directory, which are at least those that trainc reads.

    Hidden directories are skipped, and links to directories aren't followed.
    """
    for parent, directories, names in os.walk(directory):
        directories[:] = [name for name in directories if not name.startswith(".")]
        yield from (os.path.join(parent, name) for name in names if name.endswith((".yaml", ".yml")))


def _run(arguments: Sequence[str], directory: str) -> Result:
    # -P: no module of the working directory is imported.
    command = [sys.executable, "-P", "-m", "trainc", *arguments]
    env = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    try:
        run = subprocess.run(
            command, cwd=directory, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        raise ToolError(f"trainc {arguments[0]} took longer than {TIMEOUT:.0f} s") from None
    output, messages = (stream.decode(errors="replace") for stream in (run.stdout, run.stderr))
    shown = [redact(text) for text in (output, messages)]
    return Result(
        exit_code=run.returncode,
        output=shown[0][:MAX_OUTPUT],
        messages=shown[1][:MAX_OUTPUT],
        masked=shown != [output, messages],
        truncated=max(map(len, shown)) > MAX_OUTPUT,
    )
