"""`trainc init` on a terminal: it asks, and writes a job that `check --strict` accepts."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import subprocess
import termios
import time
from pathlib import Path

import pytest

from tests.support.command import clean_environment, command_line, silent, trainc
from tests.support.files import write_project

QUESTIONS = ["Name of the job", "Launcher", "Workers", "GPUs", "System", "File"]
TIMEOUT = 60  # seconds


def _own_terminal() -> None:
    """Make the terminal that of the session, so that Ctrl-C is a signal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    """Program whose standard input, output and error are a pseudo-terminal."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            command_line(*arguments),
            cwd=folder,
            env=clean_environment(TERM="dumb"),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_own_terminal,  # noqa: PLW1509  # no threads
        )
        os.close(slave)
        self.text = ""

    def wait_for(self, text: str) -> None:
        """Read the output until it has a text behind what was waited for before."""
        end = time.monotonic() + TIMEOUT
        while text not in self.text:
            assert time.monotonic() < end, self.text
            if select.select([self.master], [], [], 1)[0]:
                self.text += os.read(self.master, 4096).decode()
        self.text = self.text.partition(text)[2]

    def answer(self, question: str, text: str) -> None:
        self.wait_for(question)
        self.wait_for("]: ")
        os.write(self.master, text.encode())

    def end(self) -> tuple[int, str]:
        """Return the exit code and the rest of the output."""
        try:
            while data := os.read(self.master, 4096):
                self.text += data.decode()
        except OSError:  # Linux reports the end of a terminal as an error
            pass
        os.close(self.master)
        return self.process.wait(TIMEOUT), self.text


def run_with_answers(folder: Path, *answers: str) -> tuple[int, str]:
    terminal = Terminal(folder, "init")
    fabric = ["Fabric"] if len(answers) > len(QUESTIONS) else []
    for question, text in zip([*QUESTIONS[:4], *fabric, *QUESTIONS[4:]], answers, strict=True):
        terminal.answer(question, f"{text}\n")
    return terminal.end()


@pytest.mark.parametrize(
    ("answers", "backend", "expected"),
    [
        (("", "", "", "", "", ""), "job", ("name: my-job", "torchrun: {}", "workers: 2", "gpu: 1")),
        (
            ("a", "mpirun", "4", "8", "infiniband", "", ""),
            *("mpijob", ("name: a", "mpirun: {}", "workers: 4", "gpu: 8", "fabric: infiniband")),
        ),
        (("a", "ray", "1", "0", "jobset", "b.yaml"), "jobset", ("ray: {}", "workers: 1")),
    ],
    ids=["defaults", "mpirun", "another system"],
)
def test_the_job_of_the_answers_passes_a_strict_check(
    answers: tuple[str, ...], backend: str, expected: tuple[str, ...], tmp_path: Path
) -> None:
    code, text = run_with_answers(tmp_path, *answers)
    assert code == 0
    file = tmp_path / (answers[-1] or f"{answers[0] or 'my-job'}.yaml")
    assert f"wrote {file.name}" in text
    assert all(line in file.read_text() for line in expected)
    done = trainc("check", "--strict", "--backend", backend, file)
    assert (done.code, done.out, done.err) == (0, "", "")


CLUSTERS = """\
backend: jobset
clusters:
  prod: {spec: {backend: trainjob}}
  dev: {spec: {nodes: [{name: gpu, count: 2, allocatable: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 1}}]}}
"""


@pytest.mark.parametrize(("cluster", "system"), [("", "trainjob"), ("dev", "jobset"), ("none", "jobset")])
def test_in_a_project_it_asks_for_the_cluster(cluster: str, system: str, tmp_path: Path) -> None:
    """The system in brackets is that of the cluster, else of the project file, so that no command names it."""
    write_project(CLUSTERS, tmp_path)
    terminal = Terminal(tmp_path, "init")
    for question in QUESTIONS[:4]:
        terminal.answer(question, "\n")
    terminal.answer("Cluster: prod, dev, none", f"{cluster}\n")
    terminal.wait_for(f"[{system}]: ")
    os.write(terminal.master, b"\n")
    terminal.answer("File", "\n")
    code, text = terminal.end()
    assert code == 0
    assert "--backend" not in text
    job = (tmp_path / "my-job.yaml").read_text()
    assert "--backend" not in job
    assert ("cluster:" in job) == (cluster != "none")
    done = subprocess.run(
        command_line("check", "--strict", "my-job.yaml"), cwd=tmp_path, env=clean_environment(), check=False
    )
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("launcher", "system", "option"),
    [
        ("torchrun", "job", " --backend job"),  # not the system of the project file
        ("torchrun", "jobset", ""),
        ("mpirun", "mpijob", ""),
    ],
)
def test_the_first_comment_names_a_system_that_no_file_states(
    launcher: str, system: str, option: str, tmp_path: Path
) -> None:
    write_project("backend: jobset\nbackends: [{launcher: mpirun, backend: mpijob}]\n", tmp_path)
    terminal = Terminal(tmp_path, "init")
    for question, answer in zip(QUESTIONS[:5], ("", launcher, "", "", system), strict=True):
        terminal.answer(question, f"{answer}\n")
    terminal.answer("File", "\n")
    code, text = terminal.end()
    assert code == 0
    assert f"trainc compile my-job.yaml{option} | kubectl" in text
    job = (tmp_path / "my-job.yaml").read_text()
    assert job.startswith(f"# Compile:     trainc compile FILE{option} | kubectl apply -f -\n")


def test_an_invalid_answer_is_asked_again(tmp_path: Path) -> None:
    (tmp_path / "taken.yaml").write_text("mine")
    terminal = Terminal(tmp_path, "init")
    for question, answers, problem in [
        ("Name", ["My_Job", "job-1"], "lower-case letters"),
        ("Launcher", ["torchrum", "basic"], "did you mean torchrun?"),
        ("Workers", ["0", "²", "3"], "a number from 1 to 1000"),
        ("GPUs", ["-1", "\xff", "0"], "a number from 0 to 16"),
        ("System", ["slurm", "job"], "choose one of these"),
        ("File", ["taken.yaml", "no/such.yaml", "x.txt", ""], "the file exists"),
    ]:
        terminal.answer(question, f"{answers[0]}\n")
        terminal.wait_for(problem)
        for answer in answers[1:]:
            terminal.answer(question, f"{answer}\n")
    code, _ = terminal.end()
    assert code == 0
    assert (tmp_path / "taken.yaml").read_text() == "mine"
    assert "workers: 3" in (tmp_path / "job-1.yaml").read_text()


@pytest.mark.parametrize("answered", [0, 3, 5])
def test_ctrl_c_and_the_end_of_the_input_leave_no_file(answered: int, tmp_path: Path) -> None:
    for key, expected in (("\x03", 130), ("\x04", 2)):
        terminal = Terminal(tmp_path, "init")
        for question in QUESTIONS[:answered]:
            terminal.answer(question, "\n")
        terminal.answer(QUESTIONS[answered], key)
        code, text = terminal.end()
        assert code == expected
        assert "Traceback" not in text
        assert "error" not in text
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [("init", "--launch", "basic"), ("init", "a", "-l", "jax"), ("init", "--project")]
)
def test_options_ask_nothing(arguments: tuple[str, ...], tmp_path: Path) -> None:
    code, text = Terminal(tmp_path, *arguments).end()
    assert code == 0
    assert "apiVersion: trainc.dev/v1alpha1" in text
    assert "]: " not in text.partition("apiVersion")[0]


def test_nothing_is_asked_without_a_terminal() -> None:
    assert silent("init").startswith("# Compile:")
