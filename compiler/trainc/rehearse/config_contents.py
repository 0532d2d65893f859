"""Contents of ConfigMaps and Secrets; placeholders for those that aren't in the manifests."""

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
_SSH_PUBLIC_KEY = "ssh-publickey"  # of the MPI operator
_SSH_KEY = "ssh-privatekey"  # https://kubernetes.io/docs/concepts/configuration/secret/#ssh-authentication-secrets


def resolve_contents(objects: list[Object]) -> tuple[Contents, list[str]]:
    """Return the contents by kind and name, and a note for each placeholder."""
    known: Contents = {}
    for manifest in objects:
        if text(manifest, "kind") in ("ConfigMap", "Secret") and (_data(manifest) or "createdBy" not in manifest):
            known[text(manifest, "kind"), text(manifest, "metadata", "name")] = _data(manifest)
    missing: Contents = {}
    notes = []
    for kind, name, key in dict.fromkeys(_references(objects)):
        if (kind, name) in known:
            continue
        missing.setdefault((kind, name), {})
        if key:
            missing[kind, name][key] = _placeholder(key, missing[kind, name])
        content = f"a placeholder for `{key}`" if key else "no keys"
        notes.append(f"{kind}/{name} isn't in the manifests: it has {content}")
    return {**known, **missing}, notes


def _data(manifest: Object) -> dict[str, str]:
    is_secret = text(manifest, "kind") == "Secret"
    plain = mapping(manifest, "stringData" if is_secret else "data")
    encoded = mapping(manifest, "data" if is_secret else "binaryData")
    values = {}
    for key, value in encoded.items():
        try:
            values[key] = base64.b64decode(str(value)).decode(errors="surrogateescape")
        except binascii.Error:
            continue
    return {**values, **{key: str(value) for key, value in plain.items()}}


def _references(value: Any) -> Iterator[tuple[str, str, str]]:
    """Yield kind, name and key of each reference; an empty key refers to all keys."""
    for node in _mappings(value):
        for reference, kind in _REFERENCES.items():
            if reference in node:
                yield kind, text(node, reference, "name"), text(node, reference, "key")
        for source, (kind, field) in _VOLUMES.items():
            if isinstance(node.get(source), dict):
                name = text(node, source, field) or text(node, source, "name")
                keys = [text(item, "key") for item in items(node, source, "items")]
                yield from ((kind, name, key) for key in keys or [""])
        for reference, kind in (("secretRef", "Secret"), ("configMapRef", "ConfigMap")):
            if reference in node:
                yield kind, text(node, reference, "name"), ""


def _mappings(value: Any) -> Iterable[Object]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _mappings(inner)


def _placeholder(key: str, others: dict[str, str]) -> str:
    """Return a placeholder; for an SSH key a new key, since sshd doesn't start with a malformed one."""
    private = others.get(_SSH_KEY, "")
    if not shutil.which("ssh-keygen") or (key != _SSH_KEY and not (key == _SSH_PUBLIC_KEY and private)):
        return f"placeholder for {key}"
    if private:
        command = ["ssh-keygen", "-y", "-f", "/dev/stdin"]
        return subprocess.run(command, check=True, input=private, capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "key"
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "rehearsal", "-f", str(path)]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        return path.read_text()
