"""The pods of a custom resource as the plan knows them, and what their containers see.

tests/unit/systems/*/test_model.py hold the plan to the operators' own sources.
"""

from __future__ import annotations

import re
from typing import Any

from trainc.plan.models import native_objects

Object = dict[str, Any]


def pods(job: Object) -> list[Object]:
    """Those that there are at first, in the order of their ranks."""
    return [one for one in native_objects([job]) if one["kind"] == "Pod" and not one.get("onScaleUp")]


def seen(pod: Object, container: Object) -> tuple[dict[str, str], list[str]]:
    """A container's variables and its words as the kubelet hands them over: labels looked up, $(NAME) expanded.

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
        env[variable["name"]] = _expanded(value, env)
    return env, [_expanded(word, env) for word in [*container.get("command", []), *container.get("args", [])]]


def _expanded(text: str, env: dict[str, str]) -> str:
    return re.sub(r"\$\$|\$\((\S+?)\)", lambda m: "$" if m[0] == "$$" else env.get(m[1], m[0]), text)
