"""What is in ConfigMaps and Secrets. A Secret that isn't in the manifests gets placeholders, never a real value."""

from __future__ import annotations

import base64
import binascii
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from trainc.plan.fields import Object, items, mapping, text

Contents = dict[tuple[str, str], dict[str, str]]
_REFERENCES = {"secretKeyRef": "Secret", "configMapKeyRef": "ConfigMap"}
_VOLUMES = {"secret": ("Secret", "secretName"), "configMap": ("ConfigMap", "name")}
_SSH_KEY = "ssh-privatekey"  # https://kubernetes.io/docs/concepts/configuration/secret/#ssh-authentication-secrets


def resolve_contents(objects: list[Object]) -> tuple[Contents, list[str]]:
    """What the manifests hold, and stand-ins for what they only name; with what there is to say of these."""
    found: Contents = {}
    for one in objects:
        if text(one, "kind") in ("ConfigMap", "Secret"):
            found[text(one, "kind"), text(one, "metadata", "name")] = _data(one)
    missing: Contents = {}
    notes = []
    for kind, name, key in dict.fromkeys(_named(objects)):
        if (kind, name) in found:
            continue
        missing.setdefault((kind, name), {})
        if key:
            missing[kind, name][key] = _stand_in(key)
        notes.append(
            f"{kind}/{name} isn't in the manifests" + (f": {key} is a placeholder" if key else "; it is empty")
        )
    return {**found, **missing}, notes


def _data(one: Object) -> dict[str, str]:
    plain = mapping(one, "stringData" if text(one, "kind") == "Secret" else "data")
    coded = mapping(one, "data" if text(one, "kind") == "Secret" else "binaryData")
    values = {}
    for key, value in coded.items():
        try:
            values[key] = base64.b64decode(str(value)).decode(errors="surrogateescape")
        except binascii.Error:
            continue
    return {**values, **{key: str(value) for key, value in plain.items()}}


def _named(value: Any) -> Iterator[tuple[str, str, str]]:
    """Kind, name and key of all that pods refer to; no key where they take whatever there is."""
    for one in _mappings(value):
        for reference, kind in _REFERENCES.items():
            if reference in one:
                yield kind, text(one, reference, "name"), text(one, reference, "key")
        for source, (kind, field) in _VOLUMES.items():
            if isinstance(one.get(source), dict):
                name = text(one, source, field) or text(one, source, "name")
                keys = [text(item, "key") for item in items(one, source, "items")]
                yield from ((kind, name, key) for key in keys or [""])
        for reference, kind in (("secretRef", "Secret"), ("configMapRef", "ConfigMap")):
            if reference in one:
                yield kind, text(one, reference, "name"), ""


def _mappings(value: Any) -> Iterable[Object]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _mappings(inner)


def _stand_in(key: str) -> str:
    """Of a key for ssh one that is made now and vanishes: another would not start sshd."""
    if key != _SSH_KEY or not shutil.which("ssh-keygen"):
        return f"placeholder for {key}"
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "key"
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "rehearsal", "-f", str(path)]
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
        return path.read_text()
