"""Lowering, plan and script of launch.ray; the script runs with a `ray` that only opens the head's port.

tests/rehearsal/launchers/test_ray.py runs the real one.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import trainc
from tests.support.build import job_text, lower_job
from trainc.ir.env import FactArg
from trainc.plan.plan import Plan, plan

# Opens the head's port, and writes a line for each start to a file.
RAY = """\
#!{python}
import os, signal, socket, sys
with open(os.environ["STARTS"], "a") as file:
    file.write(" ".join(sys.argv[1:]) + "\\n")
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if "=" in word)
if "--head" in sys.argv:
    if os.environ.get("BROKEN"):
        sys.exit(7)
    server = socket.create_server((options["node-ip-address"], int(options["port"])))
    while True:
        server.accept()[0].close()
signal.pause()
"""
# The module of the script's wait: a node for each start.
MODULE = """\
import os
def init(**_): pass
def nodes():
    return [{"Alive": True, "NodeManagerAddress": line} for line in open(os.environ["STARTS"])]
"""
LAUNCH = ["--num-gpus=0", "--head", "--port={port}", "--address=127.0.0.1:{port}", "--labels=a=b", "--"]


class Cluster:
    """Two workers with a `ray` of their own."""

    def __init__(self, folder: Path, program: str, seconds: int = 60, nodes: str = "2", **env: str) -> None:
        self.program, self.seconds, self.nodes = program, seconds, nodes
        self.starts = folder / "starts"
        self.starts.touch()
        (folder / "ray").write_text(RAY.format(python=sys.executable))
        (folder / "ray").chmod(0o755)
        (folder / "ray.py").write_text(MODULE)
        path = f"{folder}:{os.environ['PATH']}"
        self.env = {**os.environ, "PATH": path, "PYTHONPATH": str(folder), "STARTS": str(self.starts), **env}
        self.port, self.status_port = _free_port(), _free_port()
        self.script = next(
            word for word in lower_job(launch={"ray": {}}, workers=2).pod.program.command if "\n" in word
        )

    def start(self, rank: int) -> subprocess.Popen[str]:
        """Start the script of a worker."""
        numbers = [str(rank), "127.0.0.1", self.nodes, str(self.seconds), str(self.status_port)]
        options = [word.format(port=self.port) for word in LAUNCH]
        command = [sys.executable, "-I", "-c", self.script, *numbers, *options, sys.executable, "-c", self.program]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, env=self.env, start_new_session=True, **pipes)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert isinstance(port, int)
    return port


@pytest.mark.parametrize("code", [0, 3])
def test_all_workers_end_with_the_exit_code_of_the_program(tmp_path: Path, code: int) -> None:
    cluster = Cluster(tmp_path, f"import os, sys; print(os.environ['RAY_ADDRESS']); sys.exit({code})")
    worker, head = cluster.start(1), cluster.start(0)
    out, _ = head.communicate(timeout=60)
    assert (head.returncode, worker.wait(60)) == (code, code)
    assert out == f"127.0.0.1:{cluster.port}\n"
    own, other = sorted(cluster.starts.read_text().splitlines(), key=lambda line: "--head" not in line)
    common = "start --num-gpus=0 --block --disable-usage-stats --node-ip-address=127.0.0.1"
    assert own == f"{common} --head --port={cluster.port}"
    assert other == f"{common} --address=127.0.0.1:{cluster.port} --labels=a=b"


def test_a_killed_head_ends_the_others_with_an_error(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path, "import time; print('up', flush=True); time.sleep(600)")
    worker, head = cluster.start(1), cluster.start(0)
    assert head.stdout is not None
    assert head.stdout.readline() == "up\n"
    os.killpg(head.pid, signal.SIGKILL)  # as a container ends with its first process
    _, err = worker.communicate(timeout=60)
    assert (worker.returncode, err) == (1, "trainc: worker 0 is lost: it ended without an exit code\n")


def test_sigterm_reaches_the_program_and_the_others_end_with_it(tmp_path: Path) -> None:
    program = "import signal, sys, time; signal.signal(15, lambda *_: sys.exit(5)); print('up', flush=True)"
    cluster = Cluster(tmp_path, f"{program}; time.sleep(600)")
    worker, head = cluster.start(1), cluster.start(0)
    assert head.stdout is not None
    assert head.stdout.readline() == "up\n"
    worker.send_signal(signal.SIGTERM)  # the program may need it for its last checkpoint
    time.sleep(1)
    assert worker.poll() is None
    head.send_signal(signal.SIGTERM)
    assert (head.wait(60), worker.wait(60)) == (5, 5)


def test_a_late_worker_joins_once_the_program_runs(tmp_path: Path) -> None:
    program = "import time, os\nwhile len(open(os.environ['STARTS']).readlines()) < 2: time.sleep(0.1)"
    cluster = Cluster(tmp_path, program, nodes="1:2")
    head = cluster.start(0)
    time.sleep(1)
    worker = cluster.start(1)
    assert (head.wait(60), worker.wait(60)) == (0, 0)


def test_missing_workers_end_the_head_with_their_numbers(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path, "", seconds=2, nodes="3")
    head, worker = cluster.start(0), cluster.start(1)
    _, err = head.communicate(timeout=60)
    assert (head.returncode, worker.wait(60)) == (1, 1)
    assert "the program needs 3 nodes, which did not join within 2 s; no contact from workers: 2\n" in err


def test_a_missing_head_ends_a_worker(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path, "", seconds=1)
    worker = cluster.start(1)
    _, err = worker.communicate(timeout=60)
    message = f"trainc: worker 0 did not answer at 127.0.0.1:{cluster.status_port} within 1 s\n"
    assert (worker.returncode, err) == (1, message)


def test_a_head_that_does_not_start_is_named(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path, "", BROKEN="1")
    head = cluster.start(0)
    _, err = head.communicate(timeout=60)
    assert (head.returncode, err) == (1, "trainc: ray start --head exited with 7\n")


def test_an_image_without_ray_is_named(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path, "")
    cluster.env["PATH"] = ""
    head = cluster.start(0)
    _, err = head.communicate(timeout=60)
    assert (head.returncode, err) == (127, "trainc: the image has no `ray` command: install Ray\n")


def args(**spec: Any) -> list[str]:
    """Return the arguments of the script, with the names of variables in place of facts."""
    program = lower_job(**{"launch": {"ray": {}}, "workers": 2, **spec}).pod.program
    return [f"$({each.variable})" if isinstance(each, FactArg) else each for each in program.args]


def test_the_options_are_those_of_the_pod() -> None:
    resources = {"cpu": "7500m", "memory": "100Gi", "gpu": 4}
    words = args(resources=resources, launch={"ray": {"headArgs": ["--no-monitor"], "workerArgs": ["--labels=a=b"]}})
    # 60 % of half of 100Gi, in whole MiB
    own = ["--num-cpus=7", "--num-gpus=4", f"--object-store-memory={30 * 2**30}"]
    head = ["--head", "--port=6379", "--include-dashboard=false", "--no-monitor"]
    assert words[:5] == ["$(NODE_RANK)", "$(TRAINC_POD_IP)", "2", "600", "6380"]
    assert words[5 : words.index("--")] == [*own, *head, "--address=mnist-0:6379", "--labels=a=b"]


@pytest.mark.parametrize(
    ("spec", "option"),
    [
        ({"resources": {"cpu": "100m"}}, "--num-cpus=1"),
        ({"resources": {"limits": {"cpu": 3}}}, "--num-cpus=3"),
        ({"resources": {"cpu": 8}, "launch": {"ray": {"numCpus": 2}}}, "--num-cpus=2"),
        ({"resources": {"gpu": 8}, "launch": {"ray": {"numGpus": 0}}}, "--num-gpus=0"),
        ({"launch": {"ray": {"objectStoreMemory": "1Gi"}}}, f"--object-store-memory={2**30}"),
        ({"launch": {"ray": {"dashboard": True}}}, "--dashboard-host=0.0.0.0"),
        # 60 % of 8Gi, the default without a memory limit
        ({}, f"--object-store-memory={4915 * 2**20}"),
    ],
)
def test_an_option_follows_from_a_field(spec: dict[str, Any], option: str) -> None:
    assert option in args(**spec)


def test_without_a_request_ray_counts_the_cpus() -> None:
    assert not any(word.startswith("--num-cpus") for word in args())


def test_a_dev_shm_that_is_too_small_or_a_volume_of_the_user_is_left_to_ray() -> None:
    own = {"name": "shm", "mountPath": "/dev/shm", "emptyDir": {"medium": "Memory"}}
    for spec in ({"sharedMemory": "100Mi"}, {"sharedMemory": False}, {"volumes": [own]}):
        assert not any(word.startswith("--object-store") for word in args(**spec))


def planned(**spec: Any) -> Plan:
    result = trainc.compile(job_text(**{"launch": {"ray": {}}, "workers": 2, **spec}).encode(), backend="job")
    return plan(result.objects())


def test_the_plan_has_the_role_of_each_pod_and_the_resources_of_a_node() -> None:
    of_job = planned(resources={"cpu": 8, "memory": "100Gi", "gpu": 4})
    assert [worker.launch.role for worker in of_job.workers] == ["head, program", "ray start --address"]
    assert of_job.workers[1].launch.details == (("each node", "CPU 8, GPU 4, object store 30Gi"),)
    assert (of_job.workers[0].launch.rendezvous_host, of_job.workers[0].launch.port) == ("mnist-0", 6379)
    assert of_job.findings == ()


def test_an_elastic_cluster_has_its_bounds() -> None:
    of_job = planned(elastic={"minReplicas": 2, "maxReplicas": 4})
    assert of_job.workers[0].launch.nodes == (2, 4)
    assert [(size.name, size.pods) for size in of_job.world_sizes] == [("minimum", 2), ("initial", 2), ("maximum", 4)]
