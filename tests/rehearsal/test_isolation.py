"""A rehearsal leaves no processes, mounts, interfaces or files, and is isolated from others and from the network."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.rehearsal.run import RUN_UNTIL_SIGTERM, Run, job, run_job
from tests.support.build import job_text
from trainc.rehearse.events import RehearsalError
from trainc.rehearse.session import Session

_ROOT = Path(__file__).parents[2]
_CLIENT = """
import sys
from tests.rehearsal.run import RUN_UNTIL_SIGTERM, Run, job
from trainc.rehearse.session import Session

script = RUN_UNTIL_SIGTERM.replace("echo up", "echo up; touch /tmp/trainc-test /var/tmp/trainc-test")
with Session(job(script, pods=2)) as session:
    run = Run(session)
    session.start()
    run.wait_for_line("up")
    run.wait_for_line("up")
    print("up", flush=True)
    run.wait_for_line("never")
"""


def descendants(process: int) -> set[tuple[str, str]]:
    """Return all descendants of a process with their start times."""
    parents: dict[str, list[tuple[str, str]]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(fields[1], []).append((path.parent.name, fields[19]))
    processes, pending = set(), [str(process)]
    while pending:
        children = parents.get(pending.pop(), [])
        processes |= set(children)
        pending += [name for name, _ in children]
    return processes


def alive(processes: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the processes that still run, without zombies."""
    running = set()
    for name, began in processes:
        try:
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[19] == began and fields[0] != "Z":
            running.add((name, began))
    return running


def machine_state() -> tuple[set[str], str, set[str]]:
    mounts = Path("/proc/self/mountinfo").read_text()
    files = {str(path) for folder in ("/tmp", "/var/tmp", "/dev/shm") for path in Path(folder).glob("trainc-test*")}
    return set(os.listdir("/sys/class/net")), mounts, files


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_remains_when_the_client_is_killed(number: signal.Signals) -> None:
    before = machine_state()
    env = {**os.environ, "PYTHONPATH": f"{_ROOT / 'compiler'}:{_ROOT}"}
    client = subprocess.Popen(
        [sys.executable, "-c", _CLIENT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, text=True
    )
    assert client.stdout
    assert client.stdout.readline() == "up\n"
    processes = descendants(client.pid)
    assert len(processes) > 5
    client.send_signal(number)
    client.wait()
    client.stdout.close()
    for _ in range(600):
        if not alive(processes):
            break
        time.sleep(0.1)
    assert not alive(processes)
    assert machine_state() == before


def test_nothing_remains_after_a_rehearsal() -> None:
    before, earlier = machine_state(), descendants(os.getpid())
    with Session(job(RUN_UNTIL_SIGTERM, pods=2)) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("up")
        processes = descendants(os.getpid()) - earlier
        assert len(processes) > 5
    assert not alive(processes)
    assert machine_state() == before


def test_a_supervisor_that_is_killed_ends_the_rehearsal_with_an_error() -> None:
    """The kernel kills it if memory runs out."""
    earlier = descendants(os.getpid())
    with Session(job(RUN_UNTIL_SIGTERM)) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("up")
        (supervisor,) = {
            int(process)
            for process, _ in alive(descendants(os.getpid()) - earlier)
            if b"trainc.rehearse.supervisor" in Path(f"/proc/{process}/cmdline").read_bytes()
        }
        os.kill(supervisor, signal.SIGKILL)
        with pytest.raises(RehearsalError, match=r"crashed: its supervisor was killed; the kernel log"):
            run.wait_for_line("never")


_CONTROLLERS = Path("/sys/fs/cgroup/cgroup.subtree_control")


@pytest.mark.skipif(
    not os.access(_CONTROLLERS, os.W_OK) or not {"memory", "pids"} <= set(_CONTROLLERS.read_text().split()),
    reason="this user may not create control groups (v2) with limits of memory and processes",
)
def test_pods_are_limited_by_a_control_group_that_is_removed() -> None:
    with Session(job(RUN_UNTIL_SIGTERM)) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("up")
        groups = list(_CONTROLLERS.parent.glob("trainc-*"))
        assert [group for group in groups if (group / "cgroup.procs").read_text().split()]
        assert all((group / name).read_text() != "max\n" for group in groups for name in ("memory.max", "pids.max"))
    assert not list(_CONTROLLERS.parent.glob("trainc-*"))


def test_two_parallel_rehearsals_use_the_same_addresses_independently() -> None:
    with Session(job(RUN_UNTIL_SIGTERM)) as session, Session(job(RUN_UNTIL_SIGTERM)) as other:
        first, second = Run(session), Run(other)
        session.start()
        other.start()
        first.wait_for_line("up")
        second.wait_for_line("up")
        assert first.pod(0).ip == second.pod(0).ip
        assert first.pod(0).uid != second.pod(0).uid


def test_ports_are_closed_outside_the_rehearsal() -> None:
    serve = "import socket, time; s = socket.create_server(('0.0.0.0', {})); print('up', flush=True); time.sleep(99)"
    with socket.socket() as reserved:  # no other program can listen on a port that is bound here
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        with Session(job(main={"command": ["python3", "-c", serve.format(port)]})) as session:
            run = Run(session)
            session.start()
            run.wait_for_line("up")
            with pytest.raises(OSError, match="refused"):
                socket.create_connection(("127.0.0.1", port), 60)


def test_other_networks_are_unreachable() -> None:
    script = "ip -4 route; getent hosts example.org || echo unknown; ls /sys/class/net | tr '\\n' ' '"
    lines = run_job(job(script)).lines()
    assert [line.split()[0] for line in lines] == ["default", "10.244.0.0/16", "unknown", "eth0"]


def test_an_unknown_pod_is_rejected() -> None:
    with Session(job(RUN_UNTIL_SIGTERM)) as session:
        session.start()
        with pytest.raises(LookupError, match="there is no pod 7"):
            session.disconnect(7)


def test_a_python_that_does_not_run_is_rejected() -> None:
    with pytest.raises(RehearsalError, match="doesn't run as a Python"), Session(job(), python="/bin/false"):
        pass


_VERSION = "import sys; sys.exit(sys.version_info < (3, 11))"


def test_users_other_than_root_can_rehearse() -> None:
    if os.geteuid() != 0:
        pytest.skip("the tests already run as another user")
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"]
    pythons = [path for path in (os.path.realpath(sys.executable), "/usr/bin/python3") if os.path.exists(path)]
    attempts = {path: subprocess.run([*nobody, "sh", "-c", f"{path} -c '{_VERSION}'"], check=False) for path in pythons}
    usable = [path for path, done in attempts.items() if done.returncode == 0]
    if not usable:
        pytest.skip("no Python 3.11 that the user nobody can run")
    env = {"PYTHONPATH": f"{_ROOT / 'compiler'}:{_ROOT}", "PATH": os.environ["PATH"], "HOME": "/nowhere"}
    script = "from tests.rehearsal.run import run_job, job; print(run_job(job('id -u; hostname')).lines())"
    done = subprocess.run(
        [*nobody, usable[0], "-c", script], capture_output=True, text=True, env=env, check=False, cwd="/"
    )
    assert done.stdout == "['0', 'demo-0']\n", done.stderr


_SYS_RESOURCE = 24


def test_pods_are_the_first_victims_of_a_lack_of_memory() -> None:
    score = "/proc/self/oom_score_adj"
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("CapEff"))
    lowest = 500 if int(line.split()[1], 16) >> _SYS_RESOURCE & 1 else 0
    read = f"read score < {score}; echo $score"
    run = run_job(job(f"{read}; echo {lowest - 1} > {score}; echo {lowest} > {score}; {read}"))
    assert run.lines(stream="stdout")[0] == "1000"
    assert lowest == 0 or run.lines(stream="stdout")[-1] == str(lowest)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_removes_temporary_files(tmp_path: Path, number: int) -> None:
    program, temporary = tmp_path / "program" / "train.py", tmp_path / "temporary"
    for folder in (program.parent, temporary):
        folder.mkdir()
    program.write_text("import time; time.sleep(600)")
    (tmp_path / "job.yaml").write_text(job_text(image="example.org/none:1", workers=1))
    tmp_path.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "trainc", "rehearse", tmp_path / "job.yaml", "-s", "finish", "--program", program],
        env={**os.environ, "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert process.stderr
    with process.stderr:
        assert any("created" in line or "started" in line for line in process.stderr)
        assert list(temporary.iterdir())
        process.send_signal(number)
        assert process.wait(60) == -number
    assert not list(temporary.iterdir())
