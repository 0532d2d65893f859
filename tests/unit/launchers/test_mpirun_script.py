"""The script that starts mpirun on worker 0, run without sshd."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from trainc.resources import folder

FOLDER = Path(folder("templates")) / "ssh"


def run(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run code that uses the script as the module `mpirun`, without files of bytecode next to it."""
    text = f"import sys; sys.path.insert(0, {str(FOLDER)!r}); import mpirun; {code}"
    command = [sys.executable, "-B", "-I", "-c", text]
    return subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("command", "code"), [(["true"], 0), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137), (["/no"], 127)]
)
def test_worker_0_exits_with_the_code_of_mpirun(command: list[str], code: int) -> None:
    done = run(f"sys.exit(mpirun.lead({command}, 2))")
    assert (done.returncode, "start.py: cannot run /no: No such file" in done.stderr) == (code, code == 127)


def test_variables_of_the_container_have_precedence() -> None:
    done = run("mpirun.lead(['env'], 300)", OMPI_MCA_plm_rsh_num_concurrent="7")
    lines = done.stdout.splitlines()
    assert "OMPI_MCA_plm_rsh_num_concurrent=7" in lines
    assert {"PRTE_MCA_plm_ssh_num_concurrent=300", "HYDRA_HOST_FILE=" + str(FOLDER / "hostfile")} <= {*lines}


def test_worker_0_waits_for_a_limited_time() -> None:
    done = run("mpirun.PATIENCE = 1; mpirun.reach(['localhost'], 1)")
    assert done.returncode == 1
    assert done.stderr == "mpirun.py: some of 1 workers do not answer on port 1 within 1 s\n"


def test_an_image_without_ssh_is_named() -> None:
    """start.py would ask for pdsh, too, which mpirun does not need."""
    done = run("sys.argv[1:] = ['0', '2222', '--', 'mpirun']; mpirun.NEEDED = {'sshx': 'openssh-x'}; mpirun.main()")
    assert (done.returncode, done.stderr) == (1, "mpirun.py: the image has no sshx: install openssh-x\n")
