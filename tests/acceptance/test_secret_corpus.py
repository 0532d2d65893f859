"""Secrets and texts without any, each through the command line: what is reported, and what the output shows."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.command import succeed, trainc
from tests.support.secret_corpus import Case, read

FOLDER = Path(__file__).parent / "secret_corpus"
SECRETS, INNOCENTS = read(FOLDER / "secrets.txt"), read(FOLDER / "innocents.txt")
# The names of nested fields are not joined.
UNRECOGNIZED = ['CONF={"tokens": {"hf": "⟦<alnum:24>⟧"}}']
HEAD = """\
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata: {{name: job-{}}}
spec:
  image: train:1
  launch: {{basic: {{}}}}
  workers: 1
"""
PROGRAM = "  run: {python: [train.py]}\n"


class File(NamedTuple):
    """Job files with the cases, and the same jobs without them; the case of each line of the first."""

    text: str
    before: str
    cases: dict[int, Case]


def write(cases: Sequence[Case]) -> File:
    """Return a document of jobs: one with as many variables as have different names, one for each command."""
    texts: list[str] = []
    before: list[str] = []
    lines: dict[int, Case] = {}

    def add(head: str, rows: Sequence[tuple[str, Case]], rest: str, old: str) -> None:
        number = HEAD.format(len(texts))
        start = "".join(texts).count("\n") + (number + head).count("\n") + 2
        for position, (_, case) in enumerate(rows):
            lines[start + position] = case
        texts.append("---\n" + number + head + "".join(row + "\n" for row, _ in rows) + rest)
        before.append("---\n" + number + old)

    jobs: list[dict[str, tuple[str, Case]]] = []
    for case in cases:
        if case.section == "env":
            name, _, value = case.text.partition("=")
            if all(name in job for job in jobs):
                jobs.append({})
            job = next(job for job in jobs if name not in job)
            job[name] = (f"    {name}: {json.dumps(value)}", case)
    for job in jobs:
        add("  env:\n", list(job.values()), PROGRAM, PROGRAM)
    for case in cases:
        if case.section == "arguments":
            words = ["train.py", *shlex.split(case.text)]
            add("", [(f"  run: {{python: {json.dumps(words)}}}", case)], "", PROGRAM)
        elif case.section == "shell":
            add("", [(f"  run: {{exec: {json.dumps(['sh', '-c', case.text])}}}", case)], "", PROGRAM)
    return File("".join(texts), "".join(before), lines)


@cache
def file(kind: str, part: int = 0, parts: int = 1) -> File:
    """Return the file of a corpus, or of one of equal parts of it."""
    return write({"secrets": SECRETS, "innocents": INNOCENTS}[kind][part::parts])


def reported(folder: Path, kind: str) -> set[str]:
    """Return the lines of the corpus for which `check` reports a secret."""
    path = folder / "jobs.yaml"
    path.write_text(file(kind).text)
    done = trainc("check", path, "--message-format", "json")
    diagnostics = json.loads(done.out or done.err)
    return {file(kind).cases[each["location"]["row"]].line for each in diagnostics if each["code"] == "TC3087"}


def parts(secret: str) -> list[str]:
    """Return the lines of a secret, without those that every key has; the rest of a line counts as shown, too."""
    return [line for line in re.split(r"\n|\\n", secret) if len(line) >= 5 and not line.startswith(("---", "Version"))]


def shown(output: str) -> list[str]:
    """Return the lines of the corpus whose secret is in an output, in part or whole, also quoted or wrapped."""
    text = plain(output)
    needles = {(case.line, plain(part)) for case in SECRETS for secret in case.secrets for part in parts(secret)}
    return sorted({line for line, part in needles if part in text})


def plain(text: str) -> str:
    return re.sub(r"[\s\\]+", "", text)


def test_the_corpora_have_300_secrets_and_400_texts_without() -> None:
    assert len({case.text for case in SECRETS}) >= 300
    assert len({case.text for case in INNOCENTS}) >= 400
    assert all(case.secrets for case in SECRETS)


def test_check_reports_every_secret(tmp_path: Path) -> None:
    assert sorted({case.line for case in SECRETS} - reported(tmp_path, "secrets")) == UNRECOGNIZED


def test_check_reports_no_text_without_a_secret(tmp_path: Path) -> None:
    assert sorted(reported(tmp_path, "innocents")) == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize(
    ("command", "form"),
    [("plan", "text"), ("plan", "markdown"), ("plan --manifests", "json"), ("diff", "text"), ("diff", "json")],
)
def test_no_output_contains_a_secret(tmp_path: Path, command: str, form: str, part: int) -> None:
    jobs, before, manifests = (tmp_path / name for name in ("jobs.yaml", "before.yaml", "manifests.yaml"))
    jobs.write_text(file("secrets", part, 4).text)
    before.write_text(file("secrets", part, 4).before)
    if command == "plan --manifests":
        manifests.write_text(trainc("compile", jobs).out)
    files = {"plan": [jobs], "plan --manifests": [manifests], "diff": [before, jobs]}[command]
    done = trainc(*command.split(), *files, "--format", form)
    assert done.out
    assert set(shown(done.out + done.err)) <= set(UNRECOGNIZED)


@pytest.mark.sample(2)
@pytest.mark.parametrize("form", ["full", "concise", "json", "sarif", "github", "junit"])
def test_no_message_contains_a_secret(tmp_path: Path, form: str) -> None:
    path = tmp_path / "jobs.yaml"
    path.write_text(file("secrets").text)
    done = trainc("check", path, "--message-format", form)
    assert "TC3087" in done.out + done.err
    assert shown(done.out + done.err) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_only_the_manifests_contain_the_secrets(tmp_path: Path, part: int) -> None:
    """Neither their source map, nor what `explain` says of their lines."""
    path, manifests, origins = (tmp_path / name for name in ("jobs.yaml", "manifests.yaml", "manifests.yaml.map"))
    secrets = file("secrets", part, 10)
    path.write_text(secrets.text)
    done = trainc("compile", path, "-o", manifests, "--source-map", origins)
    assert shown(done.out + done.err + origins.read_text()) == []
    lines = manifests.read_text().splitlines()
    assert shown("\n".join(lines)) == sorted({case.line for case in secrets.cases.values()})
    numbers = [number for number, line in enumerate(lines, 1) if "value:" in line]
    for number in numbers[:: len(numbers) // 2]:
        done = succeed("explain", "--manifest", f"{manifests}:{number}")
        assert shown(done.out + done.err) == []


@pytest.mark.slow
def test_a_plan_shows_texts_without_a_secret(tmp_path: Path) -> None:
    path = tmp_path / "jobs.yaml"
    path.write_text(file("innocents").text)
    assert "hidden" not in trainc("plan", path, "--format", "json").out
