"""Options and program that trainc reads of Ray's commands are those of Ray's own parser (ray_corpus.json, recorded)."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tools.ray_corpus import CASES
from trainc.commandline.argparse import parse
from trainc.commandline.word import Word
from trainc.launchers.ray.options import grammar
from trainc.launchers.ray.reader import ClusterScript, read_cluster_script

RECORD: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "ray_corpus.json").read_text("utf-8"))
STARTS = [case for case in RECORD if case.startswith("ray start")]
SUBMISSIONS = [case for case in RECORD if case not in STARTS]
HEAD, WORKER = "ray start --head", "ray start --address=ray-0.ray:6379 --block"
# Of `ray job submit`: with others a field of the job file would be needed.
EXPRESSED = {"address"}


def script(head: str, program: str, worker: str = WORKER) -> ClusterScript:
    """Return what trainc reads of the script of all pods."""
    text = f'if [ "$RANK" = 0 ]; then\n  {head}\n  {program}\nelse\n  {worker}\nfi'
    read = read_cluster_script(Word(text=text))
    assert read is not None
    return read


@pytest.mark.parametrize("case", [case for case in STARTS if "error" not in RECORD[case]])
def test_options_of_a_start(case: str) -> None:
    parsed = parse(grammar(), [Word(text=word) for word in shlex.split(case)[2:]])
    assert (parsed.problem, parsed.program) == (None, ())
    values = {name: "1" if option.value is None else option.text for name, option in parsed.options.items()}
    expected = RECORD[case]["options"]
    assert values.keys() == expected.keys()
    for name, value in expected.items():
        assert _value(values[name] or "", value) == value
    assert script(case, "python a.py").obstacle == "" or "--head" not in case


@pytest.mark.parametrize("case", [case for case in STARTS if "error" in RECORD[case]])
def test_a_start_that_ray_refuses_is_not_read(case: str) -> None:
    assert script(case, "python a.py").obstacle


@pytest.mark.parametrize("case", SUBMISSIONS)
def test_the_program_of_a_submission(case: str) -> None:
    read, recorded = script(HEAD, case), RECORD[case]
    if "error" in recorded or not recorded["options"].keys() <= EXPRESSED or " -- " not in case:
        assert read.obstacle
    else:
        assert [word.text for word in read.program] == recorded["entrypoint"]


def test_the_record_has_every_case_of_the_tool() -> None:
    assert list(RECORD) == CASES


def _value(text: str, like: Any) -> Any:
    """Return a value in the type of the recorded one."""
    if isinstance(like, bool):
        return text.lower() in ("true", "1")
    return json.loads(text) if isinstance(like, dict) else type(like)(text)
