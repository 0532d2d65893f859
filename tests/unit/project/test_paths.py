"""Patterns of paths, compared with git's .gitignore for all but links."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from trainc.project.paths import matches_any

FILES = ("a.yaml", "jobs/a.yaml", "jobs/b.yml", "jobs/x/a.yaml", "jobs/x/y/a.yaml", "jobs2/a.yaml", "x/jobs/a.yaml")
PATTERNS = (
    *("/jobs", "/jobs/", "/jobs/*", "/jobs/*.yaml", "/jobs/**", "/jobs/**/a.yaml", "/*/a.yaml", "/**/a.yaml"),
    *("/jobs/?.yaml", "/jobs/x/", "/jobs/**/y/**", "/*.yaml", "/jobs/[ab].*", "/none", "/**"),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("patterns")
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_matches_as_in_gitignore(pattern: str, repository: Path) -> None:
    (repository / ".gitignore").write_text(f"{pattern}\n")
    command = ["git", "check-ignore", "--no-index", *FILES]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    expected = set(done.stdout.split())
    assert {name for name in FILES if matches_any(str(repository / name), str(repository), [pattern])} == expected


def test_the_directory_may_be_above_the_working_directory(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "jobs" / "x")
    assert matches_any("a.yaml", os.path.join("..", ".."), ["jobs/x/*.yaml"])
    assert not matches_any("a.yaml", "", ["jobs/x/*.yaml"])


def test_a_pattern_with_many_wildcards_is_matched_in_linear_time() -> None:
    start = time.process_time()
    assert not matches_any("a/" * 200 + "b", "/", ["**/a/" * 200 + "c"])
    assert time.process_time() - start < 30  # exponential would be never
