"""Parameters of `ray start`, as KubeRay writes them on the command line of a shell.

generateRayStartCommand and convertParamMap of
https://github.com/ray-project/kuberay/blob/v1.5.0/ray-operator/controllers/ray/common/pod.go
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from trainc.systems.rayjob.facts import BOOLEAN_TEXTS

LABELS = "labels"
_PLAIN = r"[A-Za-z0-9_@%+=:,./-]+"


def parameters(flags: Iterable[str]) -> dict[str, str]:
    """Return `rayStartParams` for arguments `--name` and `--name=value`, the last of a name, without labels.

    KubeRay writes each value on a shell's command line without quotes, and a boolean as a switch.
    """
    return {name: value for name, value in _pairs(flags) if name != LABELS}


def labels(flags: Iterable[str]) -> dict[str, str]:
    """Return `labels` of a group: KubeRay rejects them in `rayStartParams`. validateRayGroupLabels of validation.go"""
    texts = [flag.partition("=")[2] for flag in flags if flag.startswith(f"--{LABELS}=")]
    pairs = [pair.partition("=") for pair in texts[-1].split(",")] if texts else []
    return {name.strip(): value.strip() for name, _, value in pairs if name.strip()}


def flags(params: Mapping[str, str]) -> str:
    """Return the arguments that KubeRay writes: convertParamMap."""
    text = ""
    for name in sorted(params):
        value = params[name]
        if value.lower() in ("true", "false") and name not in BOOLEAN_TEXTS:
            text += f" --{name} " if value.lower() == "true" else ""
        else:
            text += f" --{name}={value} "
    return text


def _pairs(flags: Iterable[str]) -> Iterable[tuple[str, str]]:
    for flag in flags:
        name, equals, value = flag.removeprefix("--").partition("=")
        if not equals:
            yield name, "true"
        elif re.fullmatch(_PLAIN, value) and (value.lower() not in ("true", "false") or name in BOOLEAN_TEXTS):
            yield name, value
        else:
            yield name, "'" + value.replace("'", "'\"'\"'") + "'"
