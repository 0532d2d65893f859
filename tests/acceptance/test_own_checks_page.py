"""docs/own-checks.md, followed by a stranger: its files are written and its commands run, in their order."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.build import parse_job
from tests.support.command import clean_environment
from tests.support.files import write
from tests.support.git import git
from trainc.compiled import Task
from trainc.driver import rule_context
from trainc.target import Target

PAGE = Path(__file__).resolve().parents[2] / "docs/own-checks.md"
_BLOCK = re.compile(r"```(?P<language>\w+)\n(?P<text>.*?)```", re.DOTALL)
_FILE = re.compile(r"# (?P<name>[\w./-]+\.(?:yaml|py))\n")


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the page with the python and trainc of this environment."""
    environment = clean_environment(PATH=f"{Path(sys.executable).parent}:/usr/bin:/bin", COLUMNS="80")
    return subprocess.run(
        ["/bin/sh", "-c", f"{command} 2>&1"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_the_page_works_as_it_stands(tmp_path: Path) -> None:
    git("init", "-q", tmp_path)
    ran = []
    for block in _BLOCK.finditer(PAGE.read_text("utf-8")):
        text = block["text"]
        if block["language"] != "console":
            match = _FILE.match(text)
            assert match, f"a block of the page names no file: {text}"
            file = tmp_path / match["name"]
            write(file, text)
            continue
        command, _, output = text.removeprefix("$ ").partition("\n")
        done = run(command, tmp_path)
        ran.append(command)
        if "pytest" in command:
            assert (done.returncode, "2 passed" in done.stdout) == (0, True), done.stdout
        else:
            assert (done.returncode, lines(done.stdout)) == (0, lines(output))
    assert len(ran) == 4
    assert not list(tmp_path.glob("checks/__pycache__"))


def test_the_expressions_of_the_page_exist() -> None:
    text = PAGE.read_text("utf-8")
    rows = [row for row in text.splitlines() if row.startswith("| `context.")]
    expressions = [each for row in rows for each in re.findall(r"`(context[^`]*)`", row)]
    assert len(expressions) > 8
    attributes = re.search(r"\| `context\.job` \|[^|]*defaults: (.*?), …", text)
    assert attributes
    expressions += [f"context.job.{name}" for name in re.findall(r"`([\w.]+)`", attributes[1])]
    context = rule_context(Task(spec=parse_job(), target=Target()))
    for expression in expressions:
        eval(expression, {"context": context})  # of a page of the repository


def lines(text: str) -> list[str]:
    """Return the lines of an output, without spaces at their ends."""
    return [line.rstrip() for line in text.strip().splitlines()]
