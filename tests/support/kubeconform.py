"""Validate manifests by the schemas of real Kubernetes versions, offline: with kubeconform or in this process.

The binary and the rewritten schemas are kept in .tools/ of the checkout, which can be deleted at any time.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.support.golang import FEW_COLLECTIONS, run, toolchain

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / ".tools"
CRDS = ROOT / "schemas" / "crds"  # of operators: tools/crd_schemas.py
VERSIONS = tuple(f"1.{minor}" for minor in range(29, 38))
MODULE = "github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0"


class UnavailableError(Exception):
    """A tool or package that validation requires is unavailable; the message says which and why."""


def require_kubeconform(config: pytest.Config) -> Path:
    """Return the kubeconform binary; without it skip with a warning, or fail if TRAINC_REQUIRE_KUBECONFORM is 1."""
    try:
        local_schemas(VERSIONS[-1])
        return kubeconform()
    except UnavailableError as reason:
        if os.environ.get("TRAINC_REQUIRE_KUBECONFORM") == "1":
            pytest.fail(f"kubeconform is required and not available: {reason}", pytrace=False)
        capture = config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled():
            print(f"\nWARNING: no kubeconform, its tests are skipped: {reason}", file=sys.stderr)
        pytest.skip(f"kubeconform is not available: {reason}")


def kubeconform() -> Path:
    """Return $KUBECONFORM, kubeconform on PATH, or a binary built into .tools/bin. Raises UnavailableError."""
    binary = _find_or_build()
    if isinstance(binary, str):
        raise UnavailableError(binary)
    return binary


@cache
def _find_or_build() -> Path | str:
    """Return the binary or the reason why there is none: a failed build isn't tried again in this process."""
    if configured := os.environ.get("KUBECONFORM"):
        return Path(configured) if shutil.which(configured) else f"KUBECONFORM is {configured}, which can't be run"
    if installed := shutil.which("kubeconform"):
        return Path(installed)
    target = TOOLS / "bin" / "kubeconform"
    try:
        with _exclusive_lock("kubeconform"):
            if not target.exists():
                _build(target)
        return target
    except subprocess.CalledProcessError as failed:
        return f"{failed.cmd[0]} failed: {' '.join(failed.stderr.split())[-300:]}"
    except (OSError, subprocess.TimeoutExpired) as failed:
        return str(failed)


def _build(target: Path) -> None:
    go, environment = toolchain(TOOLS)
    target.parent.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=TOOLS) as folder:
        # without cgo no C compiler is needed
        run([go, "install", MODULE], environment | {"GOBIN": folder, "CGO_ENABLED": "0"})
        Path(folder, target.name).replace(target)


def _prepare_tools() -> None:
    TOOLS.mkdir(exist_ok=True)
    (TOOLS / ".gitignore").write_text("*\n")


@contextmanager
def _exclusive_lock(name: str) -> Iterator[None]:
    _prepare_tools()
    with (TOOLS / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@cache
def local_schemas(version: str) -> Path:
    """Return a folder with the strict schemas of a Kubernetes version ("1.32"), without network references.

    In kubernetes-validate every schema has an $id below https://kubernetes.io, to which its references resolve.
    Raises UnavailableError.
    """
    try:
        package = metadata.distribution("kubernetes-validate")
    except metadata.PackageNotFoundError:
        raise UnavailableError("the package kubernetes-validate is not installed") from None
    schemas = Path(str(package.locate_file("kubernetes_validate"))) / "kubernetes-json-schema"
    source = schemas / f"v{version}.0-local-strict"
    if not source.is_dir():
        raise UnavailableError(f"kubernetes-validate {package.version} does not know Kubernetes {version}")
    folder = TOOLS / "schemas" / f"kubernetes-validate-{package.version}" / version
    if not folder.exists():
        _prepare_tools()
        folder.parent.mkdir(parents=True, exist_ok=True)
        _write_local_schemas(source, folder)
    return folder


def _write_local_schemas(source: Path, folder: Path) -> None:
    unfinished = Path(mkdtemp(dir=folder.parent))
    for file in source.glob("*.json"):
        text = file.read_text("utf-8")
        if file.name == "_definitions.json" or '"x-kubernetes-group-version-kind"' in text:
            local = json.loads(text, object_hook=_without_address)
            (unfinished / file.name).write_text(json.dumps(local), encoding="utf-8")
    try:
        unfinished.rename(folder)
    except OSError:
        shutil.rmtree(unfinished)
        if not folder.exists():
            raise


def _without_address(node: dict[str, Any]) -> dict[str, Any]:
    for keyword in ("$id", "description"):  # a property with this name has a schema, not text
        if isinstance(node.get(keyword), str):
            del node[keyword]
    if isinstance(reference := node.get("$ref"), str):
        node["$ref"] = reference.removeprefix("/api/")
    return node


def validate(files: Sequence[Path], version: str, skip: Collection[str] = (), crds: Path = CRDS) -> list[str]:
    """Return what `kubeconform -strict` reports, as "file: kind name: problem", and files without resources.

    `skip` lists kinds that aren't part of Kubernetes, as Kind or group/version/Kind; `crds` has the operators' schemas.
    Raises UnavailableError.
    """
    if not files:
        return []  # without an argument kubeconform reads its standard input
    command = [str(kubeconform()), "-strict", "-verbose", "-output", "json"]
    for folder in (local_schemas(version), crds):
        command += ["-schema-location", f"{folder}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"]
    command += ["-kubernetes-version", f"{version}.0"]
    command += ["-skip", ",".join(skip)] if skip else []
    command += [str(file) for file in files]
    environment = {**os.environ, **FEW_COLLECTIONS}
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, env=environment)
    try:
        results = json.loads(run.stdout)["resources"]
    except ValueError:
        raise RuntimeError(f"kubeconform printed {run.stdout!r} and {run.stderr!r}") from None
    # text before a leading separator is reported too, without a status
    resources = [result for result in results if result["status"]]
    with_resources = {resource["filename"] for resource in resources}
    problems = [f"{file}: contains no resource" for file in files if str(file) not in with_resources]
    for resource in resources:
        if resource["status"] not in ("statusValid", "statusSkipped"):
            message = resource["msg"].rpartition(".json#' - ")[2]
            kind, name = resource["kind"], resource["name"]
            problems.append(f"{resource['filename']}: {kind} {name}: {' '.join(message.split())}")
    return sorted(problems)


def validate_in_process(docs: Iterable[Mapping[str, Any]], version: str, skip: Collection[str] = ()) -> list[str]:
    """Return the problems that jsonschema reports for the same schemas, as "kind name: problem".

    Raises UnavailableError.
    """
    problems = []
    for doc in docs:
        kind, api_version = str(doc.get("kind")), str(doc.get("apiVersion"))
        if kind in skip or f"{api_version}/{kind}" in skip:
            continue
        label = f"{kind} {doc.get('metadata', {}).get('name', '')}"
        validator = _validator(kind, api_version, version)
        if validator is None:
            problems.append(f"{label}: could not find schema for {kind} of {api_version}")
            continue
        problems += [f"{label}: at {error.json_path}: {error.message}" for error in validator.iter_errors(doc)]
    return sorted(problems)


@cache
def _validator(kind: str, api_version: str, version: str) -> Draft202012Validator | None:
    group, _, version_in_group = api_version.rpartition("/")
    suffix = f"-{group.partition('.')[0]}-{version_in_group}" if group else f"-{version_in_group}"
    name = f"{kind.lower()}{suffix}.json"
    file = next((folder / name for folder in (local_schemas(version), CRDS) if (folder / name).exists()), None)
    if file is None:
        return None
    return Draft202012Validator(json.loads(file.read_text("utf-8")), registry=_registry(version))


@cache
def _registry(version: str) -> Registry[Any]:
    definitions = json.loads((local_schemas(version) / "_definitions.json").read_text("utf-8"))
    resource: Resource[Any] = Resource.from_contents(definitions)
    registry: Registry[Any] = Registry().with_resource("_definitions.json", resource)
    return registry
