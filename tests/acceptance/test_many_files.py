"""Many files: any number of processes answers like one that compiles all files together."""

from __future__ import annotations

import json
import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.command import CommandResult, job, start_process, trainc
from tests.support.plugins import install_plugin
from trainc.checks.registry import run_checks
from trainc.checks.rule import RuleContext
from trainc.cli import compilation, terminal
from trainc.cli.workers import ordered_map
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.systems import registry

COUNT = 72  # more than compilation.MANY, and three chunks
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\ndata: {a: b}\n---\n"
OBJECT = CONFIG_MAP.removesuffix("---\n")
MOUNT = "  volumes: [{name: c, mountPath: /c, configMap: {name: config}}]\n"
KEY = "  env: {A: {valueFrom: {configMapKeyRef: {name: config, key: missing}}}}\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n"


@pytest.fixture
def jobs(here: Path) -> Path:
    """Return the directory `jobs` of the current one, with many jobs."""
    folder = Path("jobs")
    folder.mkdir()
    for number in range(COUNT):
        (folder / f"{number:03}.yaml").write_text(job(f"job-{number}"))
    return folder


def answers(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> list[CommandResult]:
    """Return the results of one process with all files together, of one with chunks, and of three processes."""
    with monkeypatch.context() as patched:
        patched.setattr(compilation, "MANY", 10 * COUNT)
        together = trainc(*arguments)
    return [together, *(trainc(*arguments, "--jobs", str(processes)) for processes in (1, 3))]


def error_and_warning(folder: Path) -> None:
    (folder / "040.yaml").write_text(job("job-40").replace("workers:", "wokers:"))
    (folder / "080.yaml").write_text(job("job-80").replace("image: ", "image: x/y:latest # "))


CHANGES: dict[str, Callable[[Path], object]] = {
    "valid": lambda folder: None,
    "errors": error_and_warning,
    "same object": lambda folder: (folder / "090.yaml").write_text(job("job-1")),
    "other kind": lambda folder: (folder / "kustomization.yaml").write_text("kind: Kustomization\nresources: []\n"),
    "objects": lambda folder: (folder / "050.yaml").write_text(CONFIG_MAP + job("job-50", MOUNT)),
    "objects below and no mount": lambda folder: (folder / "050.yaml").write_text(f"{job('job-50')}---\n{OBJECT}"),
    "invalid objects": lambda folder: (folder / "050.yaml").write_text(
        CONFIG_MAP.replace("name: ", "x: ") + job("job-50")
    ),
    "a missing key": lambda folder: (folder / "050.yaml").write_text(CONFIG_MAP + job("job-50", KEY)),
    "the same object twice": lambda folder: [
        (folder / f"{name}.yaml").write_text(CONFIG_MAP + job(f"job-{name}", MOUNT)) for name in ("050", "051")
    ],
    "an object for another file": lambda folder: [
        (folder / "003.yaml").write_text(job("job-3", KEY)),
        (folder / "050.yaml").write_text(CONFIG_MAP + job("job-50")),
    ],
    "an object that a job has": lambda folder: (folder / "050.yaml").write_text(
        "apiVersion: v1\nkind: Service\nmetadata: {name: job-3}\n---\n" + job("job-50")
    ),
    "an unreadable file": lambda folder: (folder / "050.yaml").symlink_to("/proc/self/mem"),
    "a missing file": lambda folder: (folder / "050x.yaml").symlink_to("missing"),
    "another system": lambda folder: (folder / "050.yaml").write_text(POD),
    "not UTF-8": lambda folder: (folder / "050.yaml").write_bytes(b"\xff\xfe"),
    "two jobs, one invalid": lambda folder: (folder / "050.yaml").write_text(f"{job('job-1')}---\n{job('B_')}"),
    "suppressed": lambda folder: (folder / "050.yaml").write_text("# trainc: ignore=TC3019\n" + job("job-50")),
    "only other kinds": lambda folder: [file.write_text("kind: List\n") for file in folder.iterdir()],
}


COMPILE, CHECK, SUMMARY = ["compile", "-q"], ["check", "--message-format", "json"], ["compile", "--summary"]
RUNS = [(command, name) for command in (COMPILE, CHECK) for name in CHANGES]
RUNS += [(SUMMARY, "objects"), ([*SUMMARY, "--jobs-only"], "objects")]


@pytest.mark.sample(4)
@pytest.mark.parametrize(("command", "change"), RUNS, ids=[f"{' '.join(command)}, {name}" for command, name in RUNS])
def test_processes_do_not_change_the_answer(
    command: list[str], change: str, jobs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (jobs / "050.yaml").unlink()
    CHANGES[change](jobs)
    together, *others = answers(*command, "jobs", monkeypatch=monkeypatch)
    assert others == [together, together]


def test_a_folder_has_the_same_files(jobs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert trainc("compile", "jobs", "-o", "many/", "--jobs", "2").code == 0
    assert len(os.listdir("many")) == COUNT
    monkeypatch.setattr(compilation, "MANY", 10 * COUNT)
    assert trainc("compile", "jobs", "-o", "many/", "--check") == (0, "", "")


def test_a_plug_in_system_is_known_in_all_processes(
    jobs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_plugin(tmp_path, monkeypatch, "toysystem", "trainc.systems", "toyjob = tests.plugins.toysystem")
    registry._plugins.cache_clear()
    try:
        together, *others = answers("compile", "-q", "-b", "toyjob", str(jobs), monkeypatch=monkeypatch)
    finally:
        registry._plugins.cache_clear()
    assert (together.code, together.out.count("kind: ToyJob\n")) == (0, COUNT)
    assert others == [together, together]


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["job-3", "job-40", "job-70"])  # of the first chunk, which no other process compiles
@pytest.mark.parametrize("command", ["check", "compile"])
def test_a_failure_of_trainc_in_a_process_is_one_error(
    command: str, name: str, jobs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(context: RuleContext) -> Iterator[Diagnostic]:
        if context.job.name == name:
            raise ZeroDivisionError("a bug")
        return run_checks(context)

    monkeypatch.setattr("trainc.driver.run_checks", fail)
    together, *others = answers(command, str(jobs), monkeypatch=monkeypatch)
    assert (together.code, together.out) == (2, "")
    assert together.err.startswith("error[TC9001]: trainc failed: ZeroDivisionError: a bug\n")
    assert others == [together, together]


def test_pruning_removes_the_same_files(jobs: Path) -> None:
    results = []
    for processes in ("1", "2"):
        folder = f"manifests-{processes}/"
        assert trainc("compile", "jobs", "-o", folder, "-q", "--jobs", processes).code == 0
        Path("away").mkdir()
        for name in ("010", "040", "070"):
            (jobs / f"{name}.yaml").rename(f"away/{name}.yaml")
        check = trainc("compile", "jobs", "-o", folder, "--check", "--jobs", processes)
        done = trainc("compile", "jobs", "-o", folder, "--prune", "--jobs", processes)
        assert (check.code, done.code) == (1, 0)
        left_over = check.err.replace(folder, "").replace(f" --jobs {processes}", "")  # of the command to run
        results.append((left_over, done.err.replace(folder, ""), sorted(os.listdir(folder))))
        for file in Path("away").iterdir():
            file.rename(jobs / file.name)
        Path("away").rmdir()
    assert results[0] == results[1]
    assert len(results[0][2]) == COUNT - 3


@pytest.mark.parametrize(
    ("arguments", "stream", "code"),
    [
        (["check", "--message-format", "json"], "stdout", 2),  # the document is incomplete
        (["check"], "stderr", 1),  # messages are lost as those of any program
        (["compile"], "stdout", 2),
    ],
)
def test_a_reader_that_ends_early_leaves_one_message(arguments: list[str], stream: str, code: int, jobs: Path) -> None:
    """Like `trainc check jobs | head -1`."""
    if arguments[0] == "check":
        for file in jobs.iterdir():
            file.write_text(file.read_text().replace("workers: 2", f"workers: {'x' * 2000}"))
    process = start_process(*arguments, "jobs", "--jobs", "2")
    other = process.stderr if stream == "stdout" else process.stdout
    getattr(process, stream).close()
    assert process.wait(60) == code
    text = other.read().decode()
    if "json" in arguments:
        assert [message["code"] for message in json.loads(text)] == ["TC9002"]
    else:
        expected = "error[TC9002]: the reader of the output closed it early\n"
        assert text == (expected if stream == "stdout" else "")


def test_a_killed_process_is_replaced_by_this_one() -> None:
    def work(number: int) -> int:
        if number == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return number * number

    assert list(ordered_map(work, range(10), 2)) == [0, 1, 4, 9, 16, None]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_results_keep_their_order_and_no_process_is_left() -> None:
    def work(number: int) -> int:
        time.sleep(0.02 * (number % 3))
        return -number

    assert list(ordered_map(work, range(20), 3)) == [-number for number in range(20)]
    results = ordered_map(work, range(100), 3)
    assert next(results) == 0
    results.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize("is_from_terminal", [True, False])
def test_ctrl_c_ends_all_processes(is_from_terminal: bool, jobs: Path) -> None:
    for number in range(COUNT, 6 * COUNT):
        (jobs / f"{number:03}.yaml").write_text(job(f"job-{number}"))
    process = start_process("compile", "jobs", "-o", "manifests/", "--jobs", "2", start_new_session=True)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not (workers := children.read_text().split()):
        assert process.poll() is None
        time.sleep(0.01)
    if is_from_terminal:
        os.killpg(process.pid, signal.SIGINT)  # to the group in the foreground
    else:
        process.send_signal(signal.SIGINT)
    assert process.wait(120) == 130
    assert process.stderr.read() == b""
    assert not Path("manifests").exists()
    assert not [worker for worker in workers if Path("/proc", worker).exists()]


def test_progress_is_a_line_that_is_cleared(
    jobs: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(terminal, "_is_persons_terminal", lambda: True)
    monkeypatch.setattr(terminal, "_DELAY", 0)
    monkeypatch.setattr(terminal, "_INTERVAL", 0)
    shown = trainc("check", str(jobs), "--jobs", "1").err
    assert f" of {COUNT} files" in shown
    assert shown.endswith("\r\x1b[K")
    assert trainc("check", str(jobs), "--jobs", "1", "--quiet").err == ""


@pytest.mark.parametrize("variables", [{"CI": "true"}, {"TERM": "dumb"}])
def test_progress_needs_a_persons_terminal(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert terminal._is_persons_terminal()
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert not terminal._is_persons_terminal()


def test_codes_are_the_same_after_a_pipe() -> None:
    own = [code for code in vars(codes).values() if isinstance(code, codes.Code)]
    assert pickle.loads(pickle.dumps(own)) == own  # by identity: codes have no __eq__
    other = pickle.loads(pickle.dumps(codes.Code("ORG1", "a", "https://example.com")))
    assert (other.id, other.pages) == ("ORG1", "https://example.com")


@pytest.mark.parametrize("count", ["0", "-1", "x"])
def test_the_number_of_processes_is_positive(count: str) -> None:
    assert trainc("check", "-", "--jobs", count).code == 2


def test_diagnostics_of_other_processes_have_fixes(jobs: Path) -> None:
    (jobs / "099.yaml").write_text(job("job-99").replace("kind: TrainingJob", "kind: TrainingJob  "))
    error_and_warning(jobs)
    found = json.loads(trainc("check", str(jobs), "--message-format", "json", "--jobs", "2").out)
    assert any(each.get("fix") for each in found)
