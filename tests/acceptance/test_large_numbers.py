"""Numbers of more digits than Python parses (4,300) are ordinary values: a diagnostic, never a failure of trainc."""

from __future__ import annotations

import re

import pytest

from tests.support.command import JOB, trainc
from tests.support.examples import ROOT
from tests.support.full_job import FULL

DIGITS = "9" * 5000
FORMS = (DIGITS, f'"{DIGITS}"', f"1e{DIGITS}", f"0.{DIGITS}", f'"{DIGITS}Gi"', f'"1:{DIGITS}"')
VALUE = re.compile(r"^(\s*(?:- )?[\w./-]+:\s+|\s*- )(?![{\[|>&])\S.*$", re.MULTILINE)
FOREIGN = ("torchrun/job", "torchrun/pytorchjob", "deepspeed/mpijob")


def with_each_value(text: str, form: str) -> list[str]:
    """Return the texts with one value replaced."""
    return [f"{text[: match.end(1)]}{form}{text[match.end() :]}" for match in VALUE.finditer(text)]


def fails(*arguments: str, stdin: str) -> bool:
    done = trainc(*arguments, stdin=stdin)
    return "TC9001" in done.out + done.err


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, ids=range(len(FORMS)))
def test_in_a_job_file(form: str) -> None:
    assert [text for text in with_each_value(FULL, form) if fails("check", "-", stdin=text)] == []


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS[1:2], ids=range(1))
@pytest.mark.parametrize("name", FOREIGN)
def test_in_a_manifest(name: str, form: str) -> None:
    texts = with_each_value((ROOT / "golden" / f"{name}.yaml").read_text("utf-8"), form)
    assert [text for text in texts if fails("check", "-", stdin=text) or fails("import", "-", stdin=text)] == []


@pytest.mark.parametrize("number", [DIGITS, f"1:{DIGITS}", f"1e{DIGITS}", "inf", "nan"])
@pytest.mark.parametrize(
    "command",
    [
        *("torchrun --nnodes=N", "torchrun --nproc-per-node=N", "torchrun --max-restarts=N"),
        *("torchrun --monitor-interval=N", "torchrun --rdzv-conf=timeout=N", "torchrun --rdzv-endpoint=a:N"),
        *("deepspeed --num_gpus=N", "mpirun -np N"),
    ],
)
def test_on_a_command_line(command: str, number: str) -> None:
    words = command.replace("N", number)
    done = trainc("import", "command", "--set", "spec.image=a:1", "--", *words.split(), "train.py")
    assert "TC9001" not in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        *(("check", "-", "--set", f"spec.run.python[{DIGITS}]=a"), ("check", "-", "--set", f"spec.workers={DIGITS}")),
        *(("check", "-", "--jobs", DIGITS), ("check", "-", "--kubernetes-version", f"1.{DIGITS}")),
        ("explain", "--manifest", f"{ROOT / 'golden/torchrun/job.yaml'}:{DIGITS}"),
    ],
    ids=range(5),
)
def test_in_an_option(arguments: tuple[str, ...]) -> None:
    done = trainc(*arguments, stdin=JOB)
    assert done.code != 0
    assert "TC9001" not in done.err


@pytest.mark.parametrize(
    ("launch", "field"),
    [
        ("deepspeed: {}", "launch.deepspeed.slotsPerWorker"),
        ("torchrun: {}", "launch.torchrun.nprocPerNode"),
        ("basic: {}", "launch.basic.nprocPerNode"),
        ("deepspeed: {}", "resources.gpu"),
    ],
)
def test_no_list_of_processes_exceeds_the_memory(launch: str, field: str) -> None:
    job = JOB.replace("torchrun: {}", launch)
    done = trainc("check", "-", "--set", f"spec.{field}={10**15}", stdin=job)
    assert (done.code, "TC2005" in done.err) == (1, True), done.err


@pytest.mark.parametrize("backend", ["job", "mpijob", "deepspeedjob"])
def test_devices_of_another_resource_make_no_endless_list(backend: str) -> None:
    limits = f"spec.resources.limits={{nvidia.com/gpu: {10**15}}}"
    done = trainc("check", "-", "-b", backend, "--set", limits, stdin=JOB.replace("torchrun: {}", "deepspeed: {}"))
    assert (done.code, "TC3016" in done.err) == (1, True), done.err
