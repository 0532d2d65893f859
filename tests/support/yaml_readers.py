"""Other programs that read YAML."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from ruamel.yaml import YAML

LIBYAML: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def libyaml_documents(text: str) -> list[Any]:
    return list(yaml.load_all(text, LIBYAML))


def _ruamel(version: tuple[int, int]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        loader = YAML(typ="safe", pure=True)
        loader.version = version
        return loader.load(text)

    return read


# PyYAML reads 1.1, with and without libyaml; ruamel.yaml reads both versions.
READERS: dict[str, Callable[[str], Any]] = {
    "pyyaml": yaml.safe_load,
    "libyaml": lambda text: yaml.load(text, LIBYAML),
    "ruamel-1.1": _ruamel((1, 1)),
    "ruamel-1.2": _ruamel((1, 2)),
}

needs_kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")


def kubectl(manifests: str) -> list[Any]:
    """Return the objects that kubectl reads, without a cluster. It adds the label `read: back` to each."""
    command = ["kubectl", "label", "--local", "-f", "-", "read=back", "-o", "json"]
    process = subprocess.run(command, input=manifests.encode(), capture_output=True, check=False)
    assert process.returncode == 0, process.stderr.decode()
    rest, objects = process.stdout.decode().lstrip(), []
    while rest:
        value, end = json.JSONDecoder().raw_decode(rest)
        objects.append(value)
        rest = rest[end:].lstrip()
    return objects


def is_same_json(left: object, right: object) -> bool:
    """Return whether two values are the same JSON: unlike ==, it distinguishes 1, 1.0 and true."""
    return json.dumps(left) == json.dumps(right)
