"""`--generate-ssh-key`: file permissions, no overwriting, and a key that sshd accepts."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import socket
import stat
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest
import yaml

from tests.support.command import JOB, fail, start_process, trainc
from tests.support.files import write

SSH = JOB.replace("torchrun: {}", "deepspeed: {transport: ssh}")
MPIRUN = JOB.replace("torchrun: {}", "mpirun: {}")
NAMED = JOB.replace("torchrun: {}", "deepspeed: {transport: ssh, sshSecret: keys}")
PRIVATE = "PRIVATE KEY"
pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs OpenSSH's ssh-keygen")


@pytest.fixture
def job(tmp_path: Path) -> Path:
    return write(tmp_path / "job.yaml", SSH)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "key.yaml"


def secret(file: Path) -> dict[str, Any]:
    (manifest,) = yaml.safe_load_all(file.read_text("utf-8"))
    assert manifest["kind"] == "Secret"
    return dict(manifest)


def key_volume(manifests: str) -> dict[str, Any]:
    (job,) = (manifest for manifest in yaml.safe_load_all(manifests) if manifest["kind"] == "Job")
    volumes: dict[str, dict[str, Any]] = {each["name"]: each for each in job["spec"]["template"]["spec"]["volumes"]}
    return dict(volumes["trainc-ssh-key"]["secret"])


@pytest.mark.parametrize("text", [SSH, MPIRUN])
def test_manifests_with_the_default_name_are_read_with_it(job: Path, key: Path, text: str) -> None:
    job.write_text(text, "utf-8")
    done = trainc("compile", job, "--generate-ssh-key", key)
    assert "sshSecret: mnist-ssh-key" in trainc("import", "-", stdin=done.out).out
    assert trainc("plan", "-", stdin=done.out).code == 0


@pytest.mark.parametrize(("text", "name"), [(SSH, "mnist-ssh-key"), (MPIRUN, "mnist-ssh-key"), (NAMED, "keys")])
def test_the_secret_has_the_name_and_keys_that_the_pods_mount(job: Path, key: Path, text: str, name: str) -> None:
    job.write_text(text, "utf-8")
    done = trainc("compile", job, "--generate-ssh-key", key)
    manifest, mounted = secret(key), key_volume(done.out)
    assert done.code == 0
    assert manifest["type"] == "kubernetes.io/ssh-auth"
    assert manifest["metadata"]["name"] == mounted["secretName"] == name
    assert list(manifest["stringData"]) == [item["key"] for item in mounted["items"]]


def test_the_key_is_written_to_its_file_only_with_a_warning(job: Path, key: Path) -> None:
    done = trainc("compile", job, "--generate-ssh-key", key, "--summary")
    assert PRIVATE in key.read_text("utf-8")
    assert PRIVATE not in done.out + done.err
    assert "don't commit it" in done.err
    assert str(key) in done.err


def test_only_the_owner_can_read_the_file_with_any_umask(job: Path, key: Path) -> None:
    umask = os.umask(0)
    try:
        trainc("compile", job, "--generate-ssh-key", key)
    finally:
        os.umask(umask)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_two_runs_generate_two_keys_and_the_same_manifests(job: Path, tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    outputs = {trainc("compile", job, "--generate-ssh-key", file).out for file in files}
    assert len(outputs) == 1
    assert secret(files[0])["stringData"] != secret(files[1])["stringData"]


@pytest.mark.parametrize("kind", ["file", "link", "dangling link", "folder"])
def test_an_existing_path_is_never_overwritten(job: Path, key: Path, tmp_path: Path, kind: str) -> None:
    link_target = tmp_path / "other"
    if kind == "folder":
        key.mkdir()
    elif kind == "file":
        key.write_text("existing", "utf-8")
    else:
        if kind == "link":
            link_target.write_text("existing", "utf-8")
        key.symlink_to(link_target)
    assert "exists" in fail("compile", job, "--generate-ssh-key", key, code=2)
    assert link_target.exists() == (kind == "link")
    assert kind != "file" or key.read_text("utf-8") == "existing"


@pytest.mark.parametrize("text", [SSH.replace("workers: 2", "workers: two"), SSH.replace("mnist", "m" * 64)])
def test_an_invalid_job_writes_no_key(job: Path, key: Path, text: str) -> None:
    job.write_text(text, "utf-8")
    fail("compile", job, "--generate-ssh-key", key)
    assert not key.exists()


def test_no_key_is_written_if_the_manifests_cannot_be_written(job: Path, key: Path, tmp_path: Path) -> None:
    fail("compile", job, "--generate-ssh-key", key, "-o", tmp_path / "missing" / "out.yaml", code=2)
    assert not key.exists()


def test_a_job_without_the_ssh_transport_is_a_usage_error(job: Path, key: Path) -> None:
    job.write_text(JOB, "utf-8")
    assert "no job needs a key" in fail("compile", job, "--generate-ssh-key", key, code=2)
    assert not key.exists()


@pytest.mark.parametrize(("path", "output"), [("-", "-"), ("out/", "-"), ("x", "x"), ("out/key.yaml", "out/")])
def test_the_key_path_must_be_a_file_of_its_own(job: Path, here: Path, path: str, output: str) -> None:
    fail("compile", job, "--generate-ssh-key", path, "-o", output, code=2)
    assert [file.name for file in here.iterdir()] == ["job.yaml"]


def test_compile_check_writes_no_key(job: Path, key: Path, tmp_path: Path) -> None:
    fail("compile", job, "--check", "-o", tmp_path / "out.yaml", "--generate-ssh-key", key, code=2)
    assert not key.exists()


def test_missing_ssh_keygen_is_an_error_of_one_line(job: Path, key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    err = fail("compile", job, "--generate-ssh-key", key, code=2)
    assert err.count("\n") == 1
    assert "ssh-keygen" in err
    assert not key.exists()


def test_jobs_with_the_same_secret_share_its_key(job: Path, key: Path) -> None:
    job.write_text(NAMED + "---\n" + NAMED.replace("mnist", "other"), "utf-8")
    assert trainc("compile", job, "--generate-ssh-key", key).code == 0
    assert secret(key)["metadata"]["name"] == "keys"


def test_the_diagnostic_of_a_missing_secret_names_the_option(job: Path) -> None:
    assert "--generate-ssh-key" in trainc("check", job).err


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number: int = server.getsockname()[1]
    return number


SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:" + os.environ.get("PATH", ""))
PRIVSEP = Path("/run/sshd")  # privilege separation directory of root's sshd; only the service's start creates it


@pytest.fixture
def privsep() -> Iterator[None]:
    is_missing = os.geteuid() == 0 and not PRIVSEP.exists()
    if is_missing:
        PRIVSEP.mkdir(mode=0o755)
    yield
    if is_missing:
        PRIVSEP.rmdir()


@pytest.mark.usefixtures("privsep")
@pytest.mark.skipif(SSHD is None or shutil.which("ssh") is None, reason="needs OpenSSH's sshd and ssh")
def test_a_real_sshd_accepts_the_key_as_the_pods_use_it(job: Path, key: Path, tmp_path: Path, port: int) -> None:
    """One key for the server, its clients and their known_hosts, as in templates/ssh/start.py."""
    trainc("compile", job, "--generate-ssh-key", key)
    private = write(tmp_path / "key", secret(key)["stringData"]["ssh-privatekey"])
    private.chmod(0o600)
    public = subprocess.run(["ssh-keygen", "-y", "-f", private], capture_output=True, text=True, check=True).stdout
    (tmp_path / "authorized_keys").write_text(public, "utf-8")
    (tmp_path / "known_hosts").write_text("worker " + public, "utf-8")
    options = [f"ListenAddress=127.0.0.1:{port}", f"HostKey={private}", "UsePAM=no", "StrictModes=no", "PidFile=none"]
    options.append(f"AuthorizedKeysFile={tmp_path}/authorized_keys")
    sshd = subprocess.Popen([str(SSHD), "-D", "-e", "-f", "/dev/null", *(f"-o{option}" for option in options)])
    try:
        wait_for_port(port)
        client = [f"UserKnownHostsFile={tmp_path}/known_hosts", "HostKeyAlias=worker", "BatchMode=yes"]
        client += ["StrictHostKeyChecking=yes", "IdentitiesOnly=yes"]
        command = ["ssh", "-F", "/dev/null", "-p", str(port), "-i", str(private), *(f"-o{option}" for option in client)]
        done = subprocess.run([*command, "127.0.0.1", "echo connected"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "connected\n"), done.stderr
    finally:
        sshd.terminate()
        sshd.wait()


def wait_for_port(port: int) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=60).close()
            return
        except OSError:
            assert time.monotonic() < end, "sshd doesn't listen"
            time.sleep(0.1)


def is_full(pipe: IO[bytes]) -> bool:
    (unread,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
    return bool(unread == fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, -15), (signal.SIGINT, 130)])
def test_a_signal_while_nobody_reads_the_manifests_removes_the_key(
    job: Path, key: Path, number: int, code: int
) -> None:
    job.write_text("---\n".join(NAMED.replace("mnist", f"mnist-{index}") for index in range(100)))
    process = start_process("compile", job, "--generate-ssh-key", key)
    while process.poll() is None and not is_full(process.stdout):
        time.sleep(0.01)
    assert key.exists()
    process.send_signal(number)
    assert process.wait(120) == code
    assert process.communicate()[1] == b""
    assert not key.exists()
