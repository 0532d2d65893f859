"""docs/project.md: its commands have the output that the page shows, in a copy of the example."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.command import clean_environment, trainc
from tests.support.examples import FOLDER as EXAMPLES
from tests.support.files import write_project

PAGE = (EXAMPLES.parent / "docs" / "project.md").read_text()


def test_the_commands_have_the_output_of_the_page(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    shutil.copytree(EXAMPLES / "project", repository)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    assert blocks
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            done = subprocess.run(
                ["/bin/sh", "-c", command],
                check=False,
                cwd=repository,
                env=clean_environment(PATH=path),
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            assert done.stdout.rstrip() == expected.rstrip(), command


def test_the_rules_of_the_page_are_valid(tmp_path: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert blocks
    for block in blocks:
        assert trainc("check", write_project(block, tmp_path)) == (0, "", "")
