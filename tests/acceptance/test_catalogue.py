"""Every code has a page, whose wrong job gets exactly that code at the marked place, and whose right job nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.catalogue import compiled
from tests.support.command import JOB, environment, trainc
from trainc.catalogue.page import Page, all_codes, page
from trainc.catalogue.topics import topic, topics
from trainc.diagnostics.text import render
from trainc.resources import folder

CODES = [code.id for code in all_codes()]
# Nothing that a user can do leads to a bug of trainc's that we know of.
NO_EXAMPLE = {"TC9001"}


def of(code: str) -> Page:
    return page(next(found for found in all_codes() if found.id == code))


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_page_with_a_title_reasons_and_sources(code: str) -> None:
    found = of(code)
    assert re.fullmatch(r"[^.A-Z].*[^.]|[A-Z/].*[^.]", found.title)
    assert len(found.title) <= 90
    assert re.search(r"^- \S", found.sections["Source"], flags=re.MULTILINE)
    assert code in NO_EXAMPLE or (found.example("Wrong") and found.example("Right"))


def test_there_is_no_page_of_a_code_that_there_is_not() -> None:
    assert {file.stem for file in Path(folder("docs"), "errors").glob("TC*.md")} == set(CODES)


@pytest.mark.parametrize("code", [code for code in CODES if code not in NO_EXAMPLE])
def test_the_wrong_job_gets_the_code_at_the_marked_place_and_the_right_one_nothing(code: str, tmp_path: Path) -> None:
    for heading, expected in (("Wrong", {code}), ("Right", set())):
        example = of(code).example(heading)
        assert example
        if example.language == "console":
            assert_prints(example.text, tmp_path)
            continue
        found = compiled(example)
        assert {diagnostic.code.id for diagnostic in found} == expected, render(found)
        if not found:
            continue
        # A warning or a note may be meant, so its page says how to say so. An error may be a warning elsewhere.
        assert "If intended" in of(code).sections or any(diagnostic.severity == "error" for diagnostic in found)
        mark = example.mark
        assert mark, "carets in a comment under the faulty line show the place"
        span = found[0].span
        end = span.end_column if span.end_line == span.line else len(span.source.line(span.line)) + 1
        assert (span.line, span.column, end) == (mark.line, mark.column, mark.end_column), render(found)
        assert len(found) == 1, "one fault, one message"


def assert_prints(text: str, folder: Path) -> None:
    """Run the lines that start with a dollar sign, in a folder with job.yaml, and compare what they print."""
    (folder / "job.yaml").write_text(JOB)
    commands = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    assert commands
    for block in commands:
        command, _, printed = block.partition("\n")
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            check=False,
            cwd=folder,
            env=environment(PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}"),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert done.stdout.strip() == printed.strip()


@pytest.mark.parametrize("name", topics())
def test_what_a_topic_refers_to_can_be_explained(name: str) -> None:
    for subject in re.findall(r"trainc explain (\S+?)`", topic(name)):
        assert trainc("explain", subject).code == 0, subject
