"""System calls that containers may not make, as with the default profiles of container runtimes.

https://docs.docker.com/engine/security/seccomp/
"""

from __future__ import annotations

import ctypes
import errno
from collections.abc import Iterator

LIBRARY = "libseccomp.so.2"  # knows the numbers of each architecture
PACKAGE = "libseccomp2"

_DENIED = """
mount umount umount2 pivot_root mount_setattr move_mount open_tree fsopen fsconfig fsmount fspick
unshare setns ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp
bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register
add_key keyctl request_key name_to_handle_at open_by_handle_at fanotify_init lookup_dcookie
init_module finit_module delete_module create_module query_module get_kernel_syms kexec_load kexec_file_load
reboot swapon swapoff acct quotactl quotactl_fd nfsservctl syslog vhangup uselib sysfs ustat _sysctl
settimeofday stime clock_settime clock_settime64 clock_adjtime clock_adjtime64 adjtimex
iopl ioperm vm86 vm86old move_pages migrate_pages sethostname setdomainname
"""
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EQUAL, _GREATER, _MASKED_EQUAL = 4, 6, 7
_NAMESPACES = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)  # clone(2)
_FAMILIES = {1, 2, 10, 16}  # UNIX, INET, INET6, NETLINK; others, like VSOCK, ignore network namespaces
_LAST_SMALL = 17

# Argument, comparison and its operands.
_Condition = tuple[int, int, int, int]


class _Comparison(ctypes.Structure):
    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


def load() -> ctypes.CDLL:
    """Load libseccomp. Raises OSError if it is missing."""
    library = ctypes.CDLL(LIBRARY)
    library.seccomp_init.restype = ctypes.c_void_p
    return library


def restrict(library: ctypes.CDLL) -> None:
    """Deny the calls to this process and its children; clone3, whose flags are in memory, doesn't exist for them."""
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(_ALLOW)))
    for name, number, condition in _rules():
        call = library.seccomp_syscall_resolve_name(name.encode())
        if call < 0:  # not on this architecture
            continue
        conditions = (_Comparison * 1)(_Comparison(*condition)) if condition else None
        action = ctypes.c_uint32(_ERRNO | number)
        status = library.seccomp_rule_add_array(context, action, call, 1 if condition else 0, conditions)
        if status:
            raise OSError(-status, f"seccomp rule for {name}")
    status = library.seccomp_load(context)
    if status:
        raise OSError(-status, "seccomp")


def _rules() -> Iterator[tuple[str, int, _Condition | None]]:
    for name in _DENIED.split():
        yield name, errno.EPERM, None
    yield "clone3", errno.ENOSYS, None
    for flag in _NAMESPACES:
        yield "clone", errno.EPERM, (0, _MASKED_EQUAL, flag, flag)
    yield "socket", errno.EPERM, (0, _GREATER, _LAST_SMALL, 0)
    for family in range(_LAST_SMALL + 1):
        if family not in _FAMILIES:
            yield "socket", errno.EPERM, (0, _EQUAL, family, 0)
