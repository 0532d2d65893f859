"""Search for the programs of a control plane, and errors for missing ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import binaries as binaries_module
from tests.cluster.binaries import BUILT, UnavailableError, binaries, cache, kubectl, version


def create_programs(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).touch(mode=0o755)
    return folder


@pytest.fixture(autouse=True)
def empty_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide all programs of this machine."""
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setenv("PATH", str(create_programs(tmp_path / "path")))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_kubebuilder_assets_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = create_programs(tmp_path / "assets", "etcd", *BUILT)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(folder))
    assert binaries(print) == tuple(str(folder / name) for name in ("etcd", *BUILT))
    assert kubectl() == str(folder / "kubectl")


def test_missing_programs_in_kubebuilder_assets_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(
        "KUBEBUILDER_ASSETS", str(create_programs(tmp_path / "assets", "etcd", "kube-apiserver", "kubectl"))
    )
    with pytest.raises(UnavailableError, match=r"has no kube-controller-manager, kube-scheduler$"):
        binaries(print)


def test_nothing_is_built_without_etcd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries_module, "_build", lambda *_: pytest.fail("built without etcd"))
    with pytest.raises(UnavailableError, match="apt-get install etcd-server"):
        binaries(print)


def test_only_missing_programs_are_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    create_programs(tmp_path / "path", "etcd")
    cache().mkdir(parents=True)
    create_programs(cache(), *BUILT[:2])
    monkeypatch.setattr(binaries_module, "_build", lambda names, folder: create_programs(folder, *names))
    lines: list[str] = []
    assert binaries(lines.append).scheduler == str(cache() / "kube-scheduler")
    assert [line.partition(" into ")[0] for line in lines] == [f"building kube-scheduler, kubectl {version()}"]
    binaries(lambda _: pytest.fail("built twice"))


def test_a_failed_build_leaves_nothing_and_raises_its_output(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    go = create_programs(tmp_path / "path", "etcd", "go") / "go"
    go.write_text("#!/bin/sh\necho half > $7/${8##*/}\necho no such module >&2\nexit 1\n")
    with pytest.raises(UnavailableError, match="no such module"):
        binaries(print)
    assert list(cache().iterdir()) == []


def test_the_version_is_that_of_go_mod() -> None:
    assert version().startswith("v1.")
    text = (binaries_module.MODULE / "go.mod").read_text("utf-8")
    major, minor, patch = version()[1:].split(".")
    versions = [line.split()[-1] for line in text.splitlines() if " => k8s.io/" in line]
    assert versions
    assert set(versions) == {f"v0.{minor}.{patch}"}, (
        f"go.mod replaces modules of Kubernetes {major}.{minor} with other versions"
    )
