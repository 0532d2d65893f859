"""trainc's command line in the web worker: `run` for one command, `analyze` for what the page shows.

Files are in memory, in the working directory: job.yaml, and old.yaml for a diff.
"""

from __future__ import annotations

import io
import json
import os
import shlex
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from trainc.cli.guard import guarded

FOLDER = Path("/home/playground")
JOB, OLD, PICTURE = "job.yaml", "old.yaml", "plan.svg"
COMMANDS = {
    "manifests": ("compile", JOB),
    "plan": ("plan", JOB),
    "picture": ("plan", JOB, "-o", PICTURE),
    "import": ("import", JOB),
    "diff": ("diff", OLD, JOB),
}
# Options of the page that a command lacks: `import` writes a job file, for any system.
LACKING = {"import": {"backend", "kubernetes", "namespace"}}
OPTIONS = {"backend": "--backend", "kubernetes": "--kubernetes-version", "namespace": "--namespace"}


def run(*arguments: str) -> tuple[int, str, str]:
    """Run a command and return its exit code, standard output and standard error."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", newline="") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = guarded([*arguments])
        out.flush()
        err.flush()
    return code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode()


def analyze(request: str) -> str:
    """Return diagnostics and the output of a view as JSON: a request has text, old, view and options."""
    wanted = json.loads(request)
    FOLDER.mkdir(parents=True, exist_ok=True)
    os.chdir(FOLDER)
    for name, text in ((JOB, wanted["text"]), (OLD, wanted.get("old", ""))):
        # A lone surrogate, which JavaScript's strings may have, is no character.
        Path(name).write_bytes(text.encode("utf-8", "replace"))
    Path(PICTURE).unlink(missing_ok=True)
    checked = ["check", JOB, *_options(wanted, "check")]
    code, out, err = run(*checked, "--message-format", "json")
    view = wanted["view"]
    command = [*COMMANDS[view], *_options(wanted, view)]
    status, text, messages = run(*command)
    picture = Path(PICTURE).read_text("utf-8") if view == "picture" and Path(PICTURE).exists() else ""
    return json.dumps(
        {
            "diagnostics": _diagnostics(out),
            "check": {"code": code, "out": out, "err": err},
            "output": {"code": status, "out": text, "err": messages},
            "picture": picture,
            "command": shlex.join(["trainc", *command]),
        }
    )


def _options(wanted: dict[str, str], view: str) -> list[str]:
    """Return the options of a command."""
    options = []
    for name, option in OPTIONS.items():
        if wanted.get(name) and name not in LACKING.get(view, ()):
            options += [option, wanted[name]]
    for change in _words(wanted.get("set", "")):
        options += ["--set", change]
    return options


def _words(text: str) -> list[str]:
    """Return the words of a field as a shell splits them; an open quote while it is typed counts as a character."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _diagnostics(out: str) -> list[dict[str, object]]:
    """Return the diagnostics of `check`; none after a wrong option, of which the output of the view tells."""
    try:
        entries = json.loads(out)
    except ValueError:
        return []
    return [entry for entry in entries if isinstance(entry, dict) and entry.get("filename") == JOB]
