"""Every code has a page; its wrong job has exactly that diagnostic at the marked position, its right job none."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import JOB, clean_environment, trainc
from tests.support.error_pages import diagnose_example
from trainc.diagnostics.text import render
from trainc.pages import Page, all_codes, page, topic, topics
from trainc.resources import folder

CODES = [code.id for code in all_codes()]
# Codes without an example: no input is known to cause an internal error.
NO_EXAMPLE = {"TC9001"}
# Codes whose rules are gone. Users search for codes, and CI configurations name them: the pages stay, so that no new
# code has an old id.
REMOVED: set[str] = set()


def error_page(id: str) -> Page:
    return page(next(code for code in all_codes() if code.id == id))


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_page_with_a_title_sources_and_examples(code: str) -> None:
    error = error_page(code)  # which raises ValueError if the title has another code or name
    assert re.fullmatch(r"[^.A-Z].*[^.]|[A-Z/].*[^.]", error.title)
    assert len(error.title) <= 90
    assert re.search(r"^- \S", error.sections["Source"], flags=re.MULTILINE)
    wrong, right = error.example("Wrong"), error.example("Right")
    assert code in NO_EXAMPLE or (wrong and right and re.sub(r"\n\s*#\s*\^+", "", wrong.text) != right.text)


def test_every_page_belongs_to_a_code_or_a_removed_one() -> None:
    assert {file.stem for file in Path(folder("docs"), "errors").glob("TC*.md")} == {*CODES, *REMOVED}
    assert REMOVED.isdisjoint(CODES)


@pytest.mark.sample(25)
@pytest.mark.parametrize("code", [code for code in CODES if code not in NO_EXAMPLE])
def test_the_wrong_job_has_the_error_at_the_mark_and_the_right_job_none(code: str, tmp_path: Path) -> None:
    for heading, expected in (("Wrong", {code}), ("Right", set())):
        example = error_page(code).example(heading)
        assert example
        if example.language == "console":
            assert_output(example.text, tmp_path)
            continue
        diagnostics = diagnose_example(example, error_page(code).project)
        assert {diagnostic.code.id for diagnostic in diagnostics} == expected, render(diagnostics)
        if not diagnostics:
            continue
        # Warnings and notes can be suppressed: their pages say when. An error may be a warning in other jobs.
        assert "If intended" in error_page(code).sections or any(d.severity == "error" for d in diagnostics)
        mark = example.mark
        assert mark, "no comment with carets below the faulty line"
        span = diagnostics[0].span
        end = span.end_column if span.end_line == span.line else len(span.source.line(span.line)) + 1
        assert (span.line, span.column, end) == (mark.line, mark.column, mark.end_column), render(diagnostics)
        assert len(diagnostics) == 1, render(diagnostics)


def assert_output(text: str, folder: Path) -> None:
    """Run the commands after `$ ` in a folder with job.yaml and compare their output."""
    (folder / "job.yaml").write_text(JOB)
    commands = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    assert commands
    for block in commands:
        command, _, output = block.partition("\n")
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            check=False,
            cwd=folder,
            env=clean_environment(PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}"),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert done.stdout.strip() == output.strip()


@pytest.mark.parametrize("name", topics())
def test_subjects_named_by_topics_exist(name: str) -> None:
    for subject in re.findall(r"trainc explain (\S+?)`", topic(name)):
        assert trainc("explain", subject).code == 0, subject
