"""First process of every pod of a DeepSpeed job over ssh: sshd, and on worker 0 the deepspeed command.

    start.py RANK PORT KIND FLAG... -- WORD...

RANK is `launcher` or `worker` if a pod of its own runs the deepspeed command, with the hostfile of an operator.

Requires Python, sshd, ssh and pdsh, as DeepSpeed itself does. KIND is how the program starts: python, module, exec, or
autotune, for which DeepSpeed itself must see the command line.
"""

from __future__ import annotations

import json
import os
import pwd
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = [os.path.join(os.path.dirname(HERE), "ssh-key", name) for name in ("key", "id_rsa")]
MPI_HOSTFILE = "/etc/mpi/hostfile"
STATE = "/run/trainc/ssh"
DONE = "trainc-done"
# DeepSpeed copies variables with these prefixes from worker 0 to all workers, in a remote shell command. Each worker
# already has its own values (session.py). The first four are EXPORT_ENVS of
# https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py, the others export_envs() of its
# accelerators.
REPEATED = ("MLFLOW", "PYTHON", "MV2", "UCX", "NCCL", "CNCL", "HCCL", "BCCL", "BKCL", "ASCEND", "XPU", "XMLIR", "SUPA")
NEEDED = ("PYTHONPATH", "PYTHONHOME")
PLAIN = re.compile(r"[A-Za-z0-9_@+=:,./ -]*")

SSHD = """\
Port {port}
HostKey {state}/key
AuthorizedKeysFile {state}/authorized_keys
ForceCommand exec {python} -I {here}/session.py
PasswordAuthentication no
UsePAM no
StrictModes no
PidFile none
LogLevel ERROR
MaxStartups 256
ClientAliveInterval 15
ClientAliveCountMax 4
"""
# All workers share one key, so it also authenticates the server to its clients.
SSH = """\
Port {port}
IdentityFile {state}/key
IdentitiesOnly yes
HostKeyAlias worker
UserKnownHostsFile {state}/known_hosts
StrictHostKeyChecking yes
BatchMode yes
LogLevel ERROR
ConnectTimeout 30
ServerAliveInterval 15
ServerAliveCountMax 4
"""
# Makes the ssh of `deepspeed` read this configuration instead of the one in the user's home directory.
SSH_SHIM = """\
#!/bin/sh
exec {program} -F {state}/ssh_config "$@"
"""
# `deepspeed` treats a killed pdsh as success (runner.py: returncode > 0). The shell turns the signal into 137, and
# creates a file on success; a missing file means failure, since the shell may be killed too.
PDSH_SHIM = """\
#!/bin/sh
{program} "$@"
code=$?
[ $code = 0 ] && : > {state}/succeeded
exit $code
"""


def main() -> int:
    rank, port, kind = sys.argv[1:4]
    cut = sys.argv.index("--", 4)
    flags, words = sys.argv[4:cut], sys.argv[cut + 1 :]
    check_user()
    prepare(port)
    remember(kind, words)
    sshd = subprocess.Popen([program("sshd"), "-D", "-e", "-f", STATE + "/sshd_config"])
    if rank not in ("0", "launcher"):
        return serve(sshd)
    hostfile = MPI_HOSTFILE if rank == "launcher" else HERE + "/hostfile"
    with open(hostfile) as file:
        hosts = [line.split()[0] for line in file]
    wait_for(hosts, int(port))
    others = hosts if rank == "launcher" else hosts[1:]
    return lead(hostfile, hosts[0], others, flags, words if kind == "autotune" else [HERE + "/rank.py"])


def check_user() -> None:
    """Check that the user has a name and a shell: sshd and ssh need both, and a pod's runAsUser may have neither."""
    try:
        shell = pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        sys.exit(f"start.py: the user {os.getuid()} has no name in the image's /etc/passwd, which sshd and ssh need")
    if os.path.basename(shell) in ("nologin", "false"):
        sys.exit(f"start.py: the user {os.getuid()} has the shell {shell}, with which sshd lets nobody in")


def prepare(port: str) -> None:
    """Copy the keys with the owner and mode that ssh requires; a Secret's files don't have them for every user."""
    shutil.rmtree(STATE, ignore_errors=True)
    for folder in (STATE, STATE + "/bin", STATE + "/sessions"):
        os.makedirs(folder, 0o700)
    with open(next(filter(os.path.exists, KEYS), KEYS[0])) as file:
        write("key", file.read().strip() + "\n")
    public = subprocess.check_output([program("ssh-keygen"), "-y", "-f", STATE + "/key"], universal_newlines=True)
    write("authorized_keys", public)
    write("known_hosts", "worker " + public)
    names = {"port": port, "state": STATE, "python": shlex.quote(sys.executable), "here": HERE}
    write("sshd_config", SSHD.format(**names))
    write("ssh_config", SSH.format(**names))
    write("bin/ssh", SSH_SHIM.format(program=shlex.quote(program("ssh")), state=STATE), 0o700)
    if shutil.which("pdsh"):
        write("bin/pdsh", PDSH_SHIM.format(program=shlex.quote(program("pdsh")), state=STATE), 0o700)
    if os.getuid() == 0:
        os.makedirs("/run/sshd", 0o755, exist_ok=True)  # privilege separation directory of sshd


def remember(kind: str, words: list[str]) -> None:
    """Store the container's environment for session.py and rank.py, which sshd starts without it."""
    pod = {"pid": os.getpid(), "kind": kind, "words": words, "folder": os.getcwd(), "env": dict(os.environ)}
    write("pod.json", json.dumps(pod))


def write(name: str, text: str, mode: int = 0o600) -> None:
    handle = os.open(os.path.join(STATE, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "w") as file:
        file.write(text)


def program(name: str) -> str:
    """Return a program's absolute path: sshd requires one."""
    found = shutil.which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin")
    if found is None:
        sys.exit(f"start.py: the image has no {name}: install openssh-server, openssh-client and pdsh")
    return found


def wait_for(hosts: list[str], port: int) -> None:
    """Wait until every worker's sshd answers, without a timeout: workers may still be unschedulable."""
    missing, since = list(hosts), time.time()
    while True:
        missing = [host for host in missing if not answers(host, port)]
        if not missing:
            return
        if time.time() - since > 30:
            since = time.time()
            say(f"waiting for the sshd of {len(missing)} of {len(hosts)} workers: {' '.join(missing[:5])}")
        time.sleep(1)


def answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=5) as connection:
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False


def lead(hostfile: str, first: str, others: list[str], flags: list[str], words: list[str]) -> int:
    """Run the deepspeed command and return its exit code; after a success, notify the other pods."""
    program("pdsh")  # fails with a clear message if pdsh is missing
    env = {name: value for name, value in os.environ.items() if passed_on(name, value)}
    env["PATH"] = STATE + "/bin:" + env.get("PATH", os.defpath)
    ssh = [STATE + "/bin/ssh"]
    if subprocess.call([*ssh, first, "true"]) != 0:
        say(f"ssh to {first} failed: are all workers' keys those of one Secret?")
        return 1
    command = [sys.executable, "-u", "-m", "deepspeed.launcher.runner", "--hostfile=" + hostfile]
    deepspeed = subprocess.Popen([*command, *flags, *words], env=env)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: deepspeed.terminate())
    code = status(deepspeed.wait())
    if code == 0 and words == [HERE + "/rank.py"] and not os.path.exists(STATE + "/succeeded"):
        say("pdsh was killed")
        code = 1
    if code == 0:
        calls = [subprocess.Popen([*ssh, host, DONE]) for host in others]
        for call in calls:
            call.wait()
    return code


def passed_on(name: str, value: str) -> bool:
    return (name in NEEDED or not name.startswith(REPEATED)) and PLAIN.fullmatch(value) is not None


def serve(sshd: subprocess.Popen[bytes]) -> int:
    """Run sshd until worker 0 reports success or the pod is stopped."""

    def done(*_: object) -> None:
        sshd.terminate()
        os._exit(0)

    def stopped(*_: object) -> None:
        for name in os.listdir(STATE + "/sessions"):
            try:
                os.kill(int(name), signal.SIGTERM)
            except ProcessLookupError:
                os.unlink(STATE + "/sessions/" + name)
        while os.listdir(STATE + "/sessions"):
            time.sleep(0.1)
        sshd.terminate()
        os._exit(143)

    signal.signal(signal.SIGUSR1, done)
    signal.signal(signal.SIGTERM, stopped)
    return status(sshd.wait()) or 1


def status(code: int) -> int:
    return 128 - code if code < 0 else code


def say(text: str) -> None:
    print("start.py: " + text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
