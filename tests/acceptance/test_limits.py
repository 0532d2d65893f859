"""Limits of input and output, and run time by the number of diagnostics."""

from __future__ import annotations

import gc
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.command import JOB, CommandResult, run_process, succeed, trainc

MEBIBYTE = 1024 * 1024
PIPE = 64 * 1024 + 8192  # capacity of a Linux pipe and of Python's file object
READERS = {
    "compile": ["compile", "FILE"],
    "compile --verify": ["compile", "--verify", "FILE"],
    "compile --check": ["compile", "--check", "FILE", "-o", "out.yaml"],
    "check": ["check", "FILE"],
    "plan": ["plan", "FILE"],
    "plan --manifests": ["plan", "--manifests", "FILE"],
    "import": ["import", "FILE"],
    "rehearse": ["rehearse", "FILE"],
    "rehearse --scenario": ["rehearse", "--scenario", "FILE", "job.yaml"],
}


def limit_of(command: str) -> int:
    return 16 if command == "plan --manifests" else 5


@pytest.mark.parametrize("command", READERS)
def test_an_endless_file_is_read_to_the_limit(command: str, tmp_path: Path) -> None:
    pipe = tmp_path / "endless.yaml"
    os.mkfifo(pipe)
    written = []
    writer = threading.Thread(target=lambda: written.append(_write_until_closed(pipe)), daemon=True)
    writer.start()
    done = trainc(*(str(pipe) if argument == "FILE" else argument for argument in READERS[command]))
    writer.join(10)
    limit = limit_of(command)
    assert done.code == 1
    assert done.err.startswith(f"error[TC1008]: the input is larger than {limit} MiB\n")
    assert limit * MEBIBYTE < written[0] <= limit * MEBIBYTE + 1 + PIPE


def _write_until_closed(pipe: Path) -> int:
    written = 0
    with open(pipe, "wb", buffering=0) as file:
        while True:
            try:
                written += file.write(b"#" * 4096)
            except BrokenPipeError:
                return written


@pytest.mark.parametrize("argument", ["-", "/dev/zero"])
@pytest.mark.parametrize("command", ["check", "plan"])
def test_standard_input_and_devices_are_read_to_the_limit(command: str, argument: str) -> None:
    with open("/dev/zero", "rb") as zero:
        done = run_process(command, argument, stdin=zero)
    assert done.code == 1
    assert done.err.startswith("error[TC1008]: the input is larger than 5 MiB\n")


def test_a_job_of_exactly_the_limit_is_compiled() -> None:
    assert trainc("check", "-", stdin=JOB + "#" * (5 * MEBIBYTE - len(JOB))).code == 0
    assert trainc("check", "-", stdin=JOB + "#" * (5 * MEBIBYTE - len(JOB) + 1)).code == 1


def unknown_fields(count: int) -> str:
    return JOB + "".join(f"  field{number}: 1\n" for number in range(count))


def secrets(count: int) -> str:
    """Return a job with a warning for each variable."""
    return f"{JOB}  env:\n" + "".join(f"    A{number}_PASSWORD: 'hunter2'\n" for number in range(count))


def invalid_volumes(count: int) -> str:
    return f"{JOB}  volumes:\n" + "".join(f"  - nam: v{number}\n" for number in range(count))


def invalid_jobs(count: int) -> str:
    return "---\n".join(
        JOB.replace("mnist", f"mnist-{number}").replace("workers: 2", "workers: two") for number in range(count)
    )


def foreign_fields(count: int) -> str:
    """Return a PyTorchJob with unknown fields."""
    container = "{name: pytorch, image: 'train:1', command: [torchrun, train.py]}"
    replicas = f"{{Worker: {{replicas: 2, template: {{spec: {{containers: [{container}]}}}}}}}}"
    head = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: mnist}\nspec:\n"
    return f"{head}  pytorchReplicaSpecs: {replicas}\n" + "".join(f"  field{number}: 1\n" for number in range(count))


@pytest.fixture
def without_old_objects() -> Iterator[None]:
    """Let garbage collections skip the objects of earlier tests, which a long run would visit more often."""
    gc.freeze()
    gc.collect()
    yield
    gc.unfreeze()


@pytest.mark.slow
@pytest.mark.usefixtures("without_old_objects")
@pytest.mark.parametrize(
    ("command", "text", "count"),
    [
        ("check", unknown_fields, 40_000),
        ("check", secrets, 10_000),
        ("check", invalid_volumes, 2_000),
        ("check", invalid_jobs, 2_000),
        ("import", foreign_fields, 10_000),
    ],
)
def test_run_time_is_linear_in_the_diagnostics(command: str, text: Callable[[int], str], count: int) -> None:
    """Four times the diagnostics would take 16 times as long with a quadratic step."""

    def seconds(number: int) -> float:
        start = time.process_time()
        trainc(command, "-", stdin=text(number))
        return time.process_time() - start

    seconds(10)  # late imports
    limit = 8 * seconds(count // 4)
    assert seconds(count) < limit or seconds(count) < limit  # other programs cost time, too


def check_unknown_fields(form: str, count: int) -> CommandResult:
    return trainc("check", "-", "--message-format", form, stdin=unknown_fields(count))


@pytest.mark.parametrize("form", ["full", "concise", "github"])
def test_line_formats_print_200_diagnostics_and_the_number_of_the_others(form: str) -> None:
    done = check_unknown_fields(form, 1_203)
    assert done.code == 1
    assert len(re.findall("unknown field `field", done.err)) == 200
    assert done.err.count("not printed: 1,003 more errors (the limit is 200)") == 1
    assert form != "full" or done.err.endswith("\n1,203 errors\n")
    assert "TC1013" not in check_unknown_fields(form, 200).err


@pytest.mark.sample(1)
@pytest.mark.parametrize("form", ["json", "sarif", "junit"])
def test_a_document_contains_5000_diagnostics_and_the_number_of_the_others(form: str) -> None:
    done = check_unknown_fields(form, 5_003)
    assert done.code == 1
    messages = MESSAGES[form](done.out)
    assert len(messages) == 5_001
    assert len(set(messages)) == 5_001
    assert "not printed: 3 more errors (the limit is 5,000)" in messages[-1]


def _sarif_messages(text: str) -> list[str]:
    document = json.loads(text)
    return [result["message"]["text"] for result in document["runs"][0]["results"]]


def _junit_messages(text: str) -> list[str]:
    cases = ElementTree.fromstring(text).iter("testcase")
    return [element.text or "" for case in cases for element in case]


MESSAGES: dict[str, Callable[[str], list[str]]] = {
    "json": lambda text: [diagnostic["message"] for diagnostic in json.loads(text)],
    "sarif": _sarif_messages,
    "junit": _junit_messages,
}


def test_an_error_is_printed_before_the_warnings_above_it() -> None:
    text = f"{secrets(300)}---\n{JOB.replace('mnist', 'cifar')}  field: 1\n"
    done = trainc("check", "-", "--message-format", "concise", stdin=text)
    assert "unknown field `field`" in done.err
    assert "not printed: 101 more warnings (the limit is 200) [note]; help: fix the others first\n" in done.err
    assert done.err.endswith("\n1 error, 300 warnings\n")


@pytest.mark.slow
def test_junit_marks_a_file_without_printed_diagnostics_as_skipped(tmp_path: Path) -> None:
    with_errors, with_warning = tmp_path / "errors.yaml", tmp_path / "warning.yaml"
    with_errors.write_text(unknown_fields(5_001))
    with_warning.write_text(secrets(1).replace("mnist", "cifar"))
    done = trainc("check", with_warning, with_errors, "--message-format", "junit")
    suites = {suite.get("name"): suite for suite in ElementTree.fromstring(done.out).iter("testsuite")}
    assert [element.get("message") for element in suites[str(with_warning)].iter("skipped")] == ["not printed"]


def test_import_lists_200_dropped_fields_and_the_number_of_the_others() -> None:
    done = succeed("import", "-", stdin=foreign_fields(450))
    assert "not carried over: 450\n" in done.err
    assert done.err.count("is not carried over") == 200
    assert done.err.count("not printed: 250 more warnings (the limit is 200)") == 1
