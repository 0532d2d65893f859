"""Fields of Windows: validateWindowsSecurityContextOptions, validateWindowsHostProcessPod, validateLinux."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.diagnostics.finding import REMOVE, Finding, rejection
from trainc.kubernetes_fields import SECURITY_CONTEXTS
from trainc.plan.fields import Object, at, items, mapping, text
from trainc.systems.shared.validation.names import is_subdomain
from trainc.systems.shared.validation.values import values_at

_LARGEST_SPEC = 64 * 1024
_USER = re.compile(r'([^\\/:*?"<>|\x00-\x1f]{1,255}\\)?(?![. ]+$)[^"/\\:;|=,+*?<>@\[\]\x00-\x1f]{1,104}')
_OPTIONS = "windowsOptions"
# Fields that a pod of Windows can't have: validateWindows.
_LINUX = {
    "": ("hostPID", "hostIPC", "hostUsers", "shareProcessNamespace"),
    "securityContext": (
        *("appArmorProfile", "seLinuxOptions", "seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls"),
        *("runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy"),
    ),
    "containers[].securityContext": (
        *("appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem"),
        *("privileged", "allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup"),
    ),
}
_LINUX["initContainers[].securityContext"] = _LINUX["containers[].securityContext"]


def windows_errors(pod: Object, *path: str | int) -> Iterator[Finding]:
    """Check windowsOptions, and the fields that exclude a pod's operating system."""
    system = text(pod, "os", "name")
    for pattern in SECURITY_CONTEXTS:
        for place, options in values_at(pod, [*pattern.split("."), _OPTIONS]):
            where = (*path, *place)
            if isinstance(options, dict):
                yield from _options(options, *where)
                if system == "linux":
                    yield rejection("a Linux pod can't have windowsOptions", *where, help="remove it", fix=REMOVE)
    for pattern, fields in _LINUX.items() if system == "windows" else ():
        owners = values_at(pod, pattern.split(".")) if pattern else [((), pod)]
        for place, owner in owners:
            for field in fields:
                value = at(owner, field)
                if value is not None and (value is not False or field not in ("hostPID", "hostIPC")):
                    reason = f"a Windows pod can't have {field}"
                    yield rejection(reason, *path, *place, field, help="remove it", fix=REMOVE)
    yield from _host_process(pod, *path)


def _options(options: Object, *path: str | int) -> Iterator[Finding]:
    name, spec, user = (options.get(key) for key in ("gmsaCredentialSpecName", "gmsaCredentialSpec", "runAsUserName"))
    if isinstance(name, str) and not is_subdomain(name):
        help_ = "use lowercase letters, digits and dashes, which dots may separate"
        yield rejection(f"`{name}` is not a DNS name", *path, "gmsaCredentialSpecName", help=help_)
    if isinstance(spec, str) and not 1 <= len(spec.encode()) <= _LARGEST_SPEC:
        reason = "a gmsaCredentialSpec has 1 to 65,536 bytes"
        yield rejection(reason, *path, "gmsaCredentialSpec", help="set a shorter value, or remove it")
    if isinstance(user, str) and not _USER.fullmatch(user):
        reason = f"`{user}` is not the name of a Windows user"
        yield rejection(reason, *path, "runAsUserName", help="write it like ContainerUser")


def _host_process(pod: Object, *path: str | int) -> Iterator[Finding]:
    own = at(pod, "securityContext", _OPTIONS, "hostProcess")
    containers = [each for field in ("initContainers", "containers") for each in items(pod, field)]
    values = [at(each, "securityContext", _OPTIONS, "hostProcess") for each in containers]
    used = [own is True if value is None else value is True for value in values]
    if any(used) and not (all(used) and mapping(pod).get("hostNetwork") is True):
        reason = "hostProcess requires all containers to set it, and `hostNetwork: true`"
        yield rejection(reason, *path, "securityContext", _OPTIONS, "hostProcess", help="remove it")
    elif own is not None and any(value not in (None, own) for value in values):
        reason = "hostProcess of the pod and of a container differ"
        yield rejection(reason, *path, "securityContext", _OPTIONS, "hostProcess", help="remove one of them")
