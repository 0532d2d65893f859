"""Pods that an operator creates of a custom resource, by the plan's models, and the environment of their containers.

tests/unit/systems/*/test_model.py hold the plan to the operators' own sources.
"""

from __future__ import annotations

import base64
import re
from typing import Any

from trainc.plan.models import native_objects

Object = dict[str, Any]


def operator_pods(job: Object) -> list[Object]:
    """Return the pods that are created first, in the order of their ranks."""
    return [
        resource for resource in native_objects([job]) if resource["kind"] == "Pod" and not resource.get("onScaleUp")
    ]


def env_and_arguments(pod: Object, container: Object) -> tuple[dict[str, str], list[str]]:
    """Return a container's variables and arguments as the kubelet passes them: with labels and $(NAME) expanded.

    https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
    """
    env: dict[str, str] = {}
    for variable in container.get("env", []):
        value = variable.get("value", "")
        path = variable.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath", "")
        label = re.fullmatch(r"metadata\.labels\['(.+)'\]", path)
        if label:
            value = pod["metadata"]["labels"][label[1]]
        elif "valueFrom" in variable:
            value = repr(variable["valueFrom"])
        env[variable["name"]] = expand(value, env)
    return env, [expand(argument, env) for argument in [*container.get("command", []), *container.get("args", [])]]


def expand(text: str, env: dict[str, str]) -> str:
    """Return a text with `$(NAME)` expanded by the kubelet's rules."""
    return re.sub(r"\$\$|\$\((\S+?)\)", lambda m: "$" if m[0] == "$$" else env.get(m[1], m[0]), text)


def rename_hosts(text: str, hosts: dict[str, str]) -> str:
    """Return an argument or a value with other host names, and with DeepSpeed's world as text."""
    flag, _, info = text.partition("=")
    if flag == "--world_info":
        text = base64.urlsafe_b64decode(info).decode()
    for host in sorted(hosts, key=len, reverse=True):
        text = re.sub(rf"(?<![\w-]){re.escape(host)}(?![\w-])", hosts[host], text)
    return text
