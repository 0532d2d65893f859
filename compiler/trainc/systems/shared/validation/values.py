"""Table of fields in a pod's spec with the values that the API server accepts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.finding import Finding, rejection
from trainc.kubernetes_fields import CONTAINERS, HOOKS, NODE_TERMS, POD_TERMS, PROBES, SPREAD, VOLUMES, patterns
from trainc.plan.fields import Object
from trainc.systems.shared.validation.names import is_qualified, is_subdomain, label_problem

LARGEST_PORT, LARGEST_ID, LARGEST_LUN = 65535, 2**31 - 1, 255
PORT_NAME = re.compile("(?=.{1,15}$)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")
_SYSCTL = re.compile(r"(?=.{1,253}$)([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?")
_KEY = re.compile(r"(?!\.\.)[-._a-zA-Z0-9]{1,253}")
# IsDNS1123SubdomainWithUnderscore of k8s.io/apimachinery/pkg/util/validation
_SEARCH = re.compile(r"(?=.{1,253}$)_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*")
_LONGEST_SEARCHES = 2048
_DRIVER = re.compile("(?=.{1,63}$)[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?")


class Rule(NamedTuple):
    """Fields by their patterns, the predicate of valid values, and the reason, help and code about other values.

    A missing field has the value None.
    """

    paths: tuple[str, ...]
    is_valid: Callable[[Any], object]
    reason: str
    help: str
    code: Code | None = None


def _from(least: int, most: int = 2**63) -> Callable[[Any], bool]:
    return lambda value: not isinstance(value, int) or isinstance(value, bool) or least <= value <= most


def _at_most(count: int) -> Callable[[Any], bool]:
    return lambda value: not isinstance(value, list) or len(value) <= count


def _text(is_valid: Callable[[str], Any]) -> Callable[[Any], bool]:
    return lambda value: not isinstance(value, str) or bool(is_valid(value))


def is_port(value: Any) -> bool:
    """Return whether a value is the number or the name of a port."""
    return bool(PORT_NAME.fullmatch(value)) if isinstance(value, str) else _from(1, LARGEST_PORT)(value)


def is_ip(value: str) -> bool:
    """Return whether a text is an IP address."""
    import ipaddress  # noqa: PLC0415  # few pods have addresses

    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


# In the order of pkg/apis/core/validation/validation.go, without its functions that other modules implement.
_RULES = (
    Rule(
        (
            *patterns(VOLUMES, "configMap.items[].key", "configMap.items[].path", "secret.items[].key"),
            *patterns(VOLUMES, "secret.items[].path", "downwardAPI.items[].path"),
            *patterns(("volumes[]",), "nfs.server", "nfs.path", "hostPath.path", "gitRepo.repository"),
            *patterns(("volumes[].projected.sources[]",), "configMap.name", "secret.name", "serviceAccountToken.path"),
            *patterns(("volumes[]",), "csi.nodePublishSecretRef.name", "ephemeral.volumeClaimTemplate"),
            # A rule of its own reports sources that Kubernetes has removed.
            *patterns(("volumes[]",), "awsElasticBlockStore.volumeID", "azureDisk.diskName", "azureDisk.diskURI"),
            *patterns(("volumes[]",), "azureFile.secretName", "azureFile.shareName", "cinder.volumeID"),
            *patterns(("volumes[]",), "cinder.secretRef.name", "flexVolume.driver", "gcePersistentDisk.pdName"),
            *patterns(("volumes[]",), "iscsi.targetPortal", "iscsi.iqn", "portworxVolume.volumeID"),
            "volumes[].vsphereVolume.volumePath",
            *patterns(CONTAINERS, "env[].valueFrom.resourceFieldRef.resource"),
            *patterns(CONTAINERS, "env[].valueFrom.fieldRef.fieldPath", "envFrom[].configMapRef.name"),
            *patterns(CONTAINERS, "env[].valueFrom.secretKeyRef.key", "env[].valueFrom.configMapKeyRef.key"),
            *patterns(CONTAINERS, "envFrom[].secretRef.name", "restartPolicyRules[].exitCodes"),
            *patterns(CONTAINERS, "env[].valueFrom.fileKeyRef.key", "env[].valueFrom.fileKeyRef.path"),
            *(f"{SPREAD}.topologyKey", "dnsConfig.options[].name"),
        ),
        lambda value: value not in (None, ""),
        "`{field}` has no value",
        "set `{field}`",
    ),
    Rule(
        (
            *patterns(VOLUMES, "configMap.items[].path", "secret.items[].path", "downwardAPI.items[].path"),
            *patterns(("volumes[].projected.sources[]",), "serviceAccountToken.path", "clusterTrustBundle.path"),
            *patterns(("volumes[].projected.sources[].podCertificate",), "credentialBundlePath", "keyPath"),
            "volumes[].projected.sources[].podCertificate.certificateChainPath",
        ),
        _text(lambda text: not text.startswith(("/", "..")) and ".." not in text.split("/")),
        "`{value}` is not a path in the volume",
        "write a relative path without `..`",
        codes.INVALID_POD_PATH,
    ),
    Rule(
        patterns(("volumes[]",), "awsElasticBlockStore.partition", "gcePersistentDisk.partition", "iscsi.lun"),
        _from(0, LARGEST_LUN),
        f"{{field}} must be from 0 to {LARGEST_LUN}",
        f"set a number from 0 to {LARGEST_LUN}",
    ),
    Rule(
        ("volumes[].nfs.path",),
        _text(lambda text: not text or text.startswith("/")),
        "`{value}` is not an absolute path",
        "write `/{value}`",
    ),
    Rule(
        patterns(CONTAINERS, "env[].valueFrom.secretKeyRef.key", "env[].valueFrom.configMapKeyRef.key"),
        _text(lambda text: not text or _KEY.fullmatch(text)),
        "`{value}` is not a key",
        "use letters, digits, `-`, `_` and `.`",
    ),
    Rule(
        patterns(CONTAINERS, "envFrom[].prefix"),
        _text(lambda text: re.fullmatch("[ -<>-~]*", text)),
        "`{value}` is not the start of a variable's name",
        "use letters, digits and underscores",
    ),
    Rule(
        patterns(
            PROBES, "periodSeconds", "failureThreshold", "timeoutSeconds", "initialDelaySeconds", "successThreshold"
        ),
        _from(0),
        "{field} must not be {value}",
        "set a positive number, or remove it",
    ),
    Rule(
        patterns(PROBES, "terminationGracePeriodSeconds"),
        _from(1),
        "{field} must be at least 1, not {value}",
        "set a positive number, or remove it",
    ),
    Rule(
        tuple(path for path in patterns(PROBES, "terminationGracePeriodSeconds") if "readiness" in path),
        lambda value: value is None,
        "a readinessProbe has no {field}: it ends no container",
        "remove it",
    ),
    Rule(
        patterns((*PROBES, *HOOKS), "exec.command"),
        bool,
        "`exec` has no command",
        "set `command`",
    ),
    Rule(
        patterns((*PROBES, *HOOKS), "httpGet.port", "tcpSocket.port", "grpc.port"),
        is_port,
        "`{value}` is neither a port nor the name of a port",
        f"set a number from 1 to {LARGEST_PORT}, or the name of a port",
    ),
    Rule(
        patterns((*PROBES, *HOOKS), "httpGet.httpHeaders[].name"),
        _text(lambda text: re.fullmatch("[-A-Za-z0-9]+", text)),
        "`{value}` is not the name of an HTTP header",
        "use letters, digits and dashes",
    ),
    Rule(
        (
            *patterns(NODE_TERMS, "matchExpressions[].key"),
            *patterns((*POD_TERMS, SPREAD), "labelSelector.matchExpressions[].key"),
            *patterns((*POD_TERMS, SPREAD), "matchLabelKeys[]"),
            *patterns(POD_TERMS, "topologyKey", "mismatchLabelKeys[]", "namespaceSelector.matchExpressions[].key"),
            "readinessGates[].conditionType",
            "schedulingGates[].name",
        ),
        _text(is_qualified),
        "`{value}` is not the name of a label or a condition",
        "write a name of letters, digits, `-`, `_` and `.`, or `<domain>/<name>`",
    ),
    Rule(
        ("tolerations[].key",),
        _text(lambda text: not text or is_qualified(text)),
        "`{value}` is not the key of a taint",
        "write a name of letters, digits, `-`, `_` and `.`, or `<domain>/<name>`",
    ),
    Rule(
        patterns(POD_TERMS, "namespaces[]"),
        _text(lambda text: not label_problem(text)),
        "`{value}` is not the name of a namespace",
        "use lowercase letters, digits and dashes",
    ),
    Rule(
        (
            *patterns(("resourceClaims[]",), "resourceClaimName", "resourceClaimTemplateName"),
            *("volumes[].ephemeral.volumeClaimTemplate.spec.storageClassName", "runtimeClassName"),
            *("hostAliases[].hostnames[]", "hostnameOverride"),
        ),
        _text(is_subdomain),
        "`{value}` is not a DNS name",
        "use lowercase letters, digits and dashes, which dots may separate",
    ),
    Rule(
        ("serviceAccount", "volumes[].csi.nodePublishSecretRef.name"),
        _text(lambda text: not text or is_subdomain(text)),
        "`{value}` is not a DNS name",
        "use lowercase letters, digits and dashes, which dots may separate",
    ),
    Rule(
        ("volumes[].csi.driver",),
        _text(lambda text: not text or _DRIVER.fullmatch(text)),
        "`{value}` is not the name of a CSI driver",
        "use letters, digits, dashes and dots",
    ),
    Rule(
        ("dnsConfig.nameservers[]", "hostAliases[].ip"),
        _text(is_ip),
        "`{value}` is not an IP address",
        "write an address like 10.0.0.1",
    ),
    Rule(("dnsConfig.nameservers",), _at_most(3), "a pod has at most 3 nameservers", "remove the others"),
    Rule(
        ("dnsConfig.searches[]",),
        _text(lambda text: text == "." or _SEARCH.fullmatch(text.removesuffix("."))),
        "`{value}` is not a DNS domain",
        "use lowercase letters, digits, dashes and underscores, which dots may separate",
    ),
    Rule(
        patterns(CONTAINERS, "env[].valueFrom.fileKeyRef.path"),
        _text(lambda text: ".." not in text.split("/")),
        "`{value}` contains `..`",
        "write the path without `..`",
    ),
    Rule(("dnsConfig.searches",), _at_most(32), "a pod has at most 32 search domains", "remove the others"),
    Rule(
        ("dnsConfig.searches",),
        lambda value: not isinstance(value, list) or len(" ".join(map(str, value))) <= _LONGEST_SEARCHES,
        f"the search domains have more than {_LONGEST_SEARCHES} characters",
        "remove some",
    ),
    Rule(
        ("securityContext.supplementalGroups[]",),
        _from(0, LARGEST_ID),
        "{value} is not the number of a group",
        f"set a number from 0 to {LARGEST_ID}",
    ),
    Rule(
        ("securityContext.sysctls[].name",),
        _text(_SYSCTL.fullmatch),
        "`{value}` is not the name of a sysctl",
        "write a name like net.core.somaxconn",
    ),
    Rule(
        ("volumes[].projected.sources[].serviceAccountToken.expirationSeconds",),
        _from(600, 2**32),
        "a token must be valid for 600 seconds to 2^32, not {value}",
        "set a number from 600",
    ),
    Rule(
        patterns(CONTAINERS, "resizePolicy[].resourceName"),
        _text(("cpu", "memory").__contains__),
        "`{value}` can't be resized",
        "use cpu or memory",
    ),
    Rule(
        patterns(CONTAINERS, "restartPolicyRules[].action"),
        _text(("Restart", "RestartAllContainers").__contains__),
        "`{value}` is not an action of restartPolicyRules",
        "write Restart",
    ),
)


def value_errors(pod: Object, *path: str | int) -> Iterator[Finding]:
    """Check a pod's spec."""
    for rule in _RULES:
        for pattern in rule.paths:
            for where, value in values_at(pod, pattern.split(".")):
                if not rule.is_valid(value):
                    field = next(step for step in reversed(where) if isinstance(step, str))
                    reason, help_ = (text.format(field=field, value=value) for text in (rule.reason, rule.help))
                    yield rejection(reason, *path, *where, help=help_, code=rule.code)


def values_at(owner: Any, steps: list[str]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the positions and values of the fields that match the steps of a path."""
    if not isinstance(owner, dict):
        return
    name, is_list, _ = steps[0].partition("[]")
    value = owner.get(name)
    members: list[tuple[tuple[str | int, ...], Any]] = [((name,), value)]
    if is_list:
        members = [((name, index), item) for index, item in enumerate(value if isinstance(value, list) else [])]
    for place, member in members:
        if len(steps) == 1:
            yield place, member
        else:
            for rest, inner in values_at(member, steps[1:]):
                yield (*place, *rest), inner
