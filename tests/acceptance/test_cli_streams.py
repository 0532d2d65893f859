"""Closed pipes, full disks, closed streams, locales, terminals and Ctrl-C never cause a traceback."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.command import INVALID_JOB, JOB, clean_environment, command_line, run_process, start_process

# Most container images disable buffering, and then a write may be partial.
BUFFERING = pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
BIG = ["compile", "-", "--backend", "pods", "--set", "spec.workers=200"]  # exceeds the buffer of a pipe
FULL = Path("/dev/full")


@BUFFERING
def test_a_closed_pipe_is_an_error_of_one_line(unbuffered: str) -> None:
    process = start_process(*BIG, env={"PYTHONUNBUFFERED": unbuffered})
    process.stdin.write(JOB.encode())
    process.stdin.close()
    assert process.stdout.readline() == b"apiVersion: v1\n"
    process.stdout.close()
    message = process.stderr.read().decode()
    assert process.wait(30) == 2
    assert message.startswith("error[TC9002]: ")
    assert message.count("\n") == 1


@pytest.mark.skipif(not FULL.exists(), reason="the machine has no /dev/full")
@BUFFERING
@pytest.mark.parametrize("arguments", [["compile", "-"], ["schema"], ["init"], ["--help"], ["--version"]], ids="-".join)
def test_a_full_disk_behind_stdout_is_one_line_and_exit_code_2(arguments: list[str], unbuffered: str) -> None:
    with FULL.open("wb") as full:
        done = run_process(*arguments, input=JOB.encode(), stdout=full, env={"PYTHONUNBUFFERED": unbuffered})
    assert (done.code, done.err) == (2, "error[TC9002]: no space left on device\n")


@BUFFERING
def test_truncated_output_is_never_a_success(tmp_path: Path, unbuffered: str) -> None:
    """A file size limit truncates the output, as a disk does that becomes full."""
    limit = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))"
    argv = [sys.executable, "-c", f"{limit}; os.execv(sys.argv[1], sys.argv[1:])", *map(str, command_line(*BIG))]
    with (tmp_path / "out.yaml").open("wb") as file:
        done = subprocess.run(
            argv,
            input=JOB.encode(),
            stdout=file,
            stderr=subprocess.PIPE,
            env=clean_environment(PYTHONUNBUFFERED=unbuffered),
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"error[TC9002]: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(("closed", "code"), [(0, 1), (1, 2), (2, 1)], ids=["stdin", "stdout", "stderr"])
def test_a_closed_stream_is_not_reported_as_a_bug(tmp_path: Path, closed: int, code: int) -> None:
    """Unreadable input exits with 1, unwritable output with 2."""
    (tmp_path / "job.yaml").write_text(INVALID_JOB if closed == 2 else JOB)
    file = "-" if closed == 0 else str(tmp_path / "job.yaml")
    script = "import os, sys; os.close(int(sys.argv[1])); os.execv(sys.argv[2], sys.argv[2:])"
    argv = [sys.executable, "-c", script, str(closed), *map(str, command_line("compile", file))]
    done = subprocess.run(argv, capture_output=True, env=clean_environment(), check=False)
    assert done.returncode == code
    assert b"TC9001" not in done.stderr
    assert b"Traceback" not in done.stderr


LOCALES = {
    "C": {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "latin-1": {"PYTHONIOENCODING": "latin-1:strict"},
    "utf-16": {"PYTHONIOENCODING": "utf-16"},
}


@pytest.mark.parametrize("env", LOCALES.values(), ids=LOCALES.keys())
def test_manifests_are_utf_8_in_every_locale(env: dict[str, str]) -> None:
    job = JOB.replace("train.py", "train.py, 🚀, é")
    done = run_process("compile", "-", input=job.encode(), env=env)
    assert (done.code, done.err) == (0, "")
    *_, manifest = yaml.safe_load_all(done.out)
    assert manifest["spec"]["template"]["spec"]["containers"][0]["args"] == ["train.py", "🚀", "é"]


@pytest.mark.parametrize("env", LOCALES.values(), ids=LOCALES.keys())
def test_a_message_with_an_emoji_is_readable_in_every_locale(env: dict[str, str]) -> None:
    done = run_process("compile", "-", input=JOB.replace("workers: 2", "workers: 🚀").encode(), env=env)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error[TC2004]: `spec.workers` cannot be the string")


@pytest.mark.parametrize("env", LOCALES.values(), ids=LOCALES.keys())
def test_init_and_schema_and_summary_work_in_every_locale(env: dict[str, str]) -> None:
    for arguments in (["schema"], ["init"], ["--help"], ["compile", "-", "--summary"]):
        done = run_process(*arguments, input=JOB.encode(), env=env)
        assert (done.code, "error" in done.err) == (0, False), arguments


def test_file_names_outside_utf_8_are_supported(tmp_path: Path) -> None:
    valid, invalid = (os.path.join(os.fsencode(tmp_path), name) for name in (b"a\xff.yaml", b"b\xff\x1b[31m.yaml"))
    Path(os.fsdecode(valid)).write_text(JOB)
    Path(os.fsdecode(invalid)).write_text(INVALID_JOB)
    assert run_process("compile", valid).code == 0
    done = run_process("compile", invalid)
    assert (done.code, done.out) == (1, "")
    assert "Traceback" not in done.err
    assert "\x1b" not in done.err
    assert run_process("compile", valid + b".missing").err.startswith("error[TC1001]")
    assert run_process("compile", valid, "-o", invalid).code == 0


def printed_in_a_terminal(env: dict[str, str]) -> str:
    """Return what an invalid job prints when stderr is a terminal."""
    controller, terminal = pty.openpty()
    process = start_process("check", "-", stderr=terminal, env={"TERM": "xterm", **env})
    os.close(terminal)
    process.communicate(INVALID_JOB.encode(), timeout=120)
    output = b""
    try:
        while chunk := os.read(controller, 4096):
            output += chunk
    except OSError:  # on Linux, the other side is closed
        pass
    finally:
        os.close(controller)
    return output.decode().replace("\r\n", "\n")


def test_only_terminals_that_allow_it_get_color() -> None:
    plain = run_process("check", "-", input=INVALID_JOB.encode()).err
    colored = printed_in_a_terminal({})
    assert "\x1b[1;31m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain
    assert "\x1b" not in plain
    assert printed_in_a_terminal({"NO_COLOR": "1"}) == plain
    assert printed_in_a_terminal({"TERM": "dumb"}) == plain
    assert "\x1b[1;31m" in printed_in_a_terminal({"NO_COLOR": ""}), "an empty NO_COLOR has no effect (no-color.org)"


def test_ctrl_c_ends_quietly_with_130(tmp_path: Path) -> None:
    pipe = tmp_path / "job.yaml"
    os.mkfifo(pipe)
    process = start_process("compile", pipe)
    writer = os.open(pipe, os.O_WRONLY)  # returns when the command has opened its side; it then waits for input
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    os.close(writer)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err


def test_ctrl_c_while_modules_are_imported_ends_quietly_with_130() -> None:
    script = """
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "trainc.cli.app":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from trainc.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, env=clean_environment(), check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
