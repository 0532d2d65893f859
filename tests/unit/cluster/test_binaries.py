"""Where the programs of a control plane are looked for, and what is said where there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import binaries as subject
from tests.cluster.binaries import BUILT, UnavailableError, binaries, cache, kubectl, version


def programs(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).touch(mode=0o755)
    return folder


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without any of them."""
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setenv("PATH", str(programs(tmp_path / "path")))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_assets_folder_is_taken_where_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = programs(tmp_path / "assets", "etcd", *BUILT)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(folder))
    assert binaries(print) == tuple(str(folder / name) for name in ("etcd", *BUILT))
    assert kubectl() == str(folder / "kubectl")


def test_what_an_assets_folder_lacks_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(programs(tmp_path / "assets", "etcd", "kube-apiserver", "kubectl")))
    with pytest.raises(UnavailableError, match=r"has no kube-controller-manager, kube-scheduler$"):
        binaries(print)


def test_nothing_is_built_where_there_is_no_etcd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "_build", lambda *_: pytest.fail("minutes for nothing"))
    with pytest.raises(UnavailableError, match="apt-get install etcd-server"):
        binaries(print)


def test_only_what_the_cache_lacks_is_built_and_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    programs(tmp_path / "path", "etcd")
    cache().mkdir(parents=True)
    programs(cache(), *BUILT[:2])
    monkeypatch.setattr(subject, "_build", lambda names, folder: programs(folder, *names))
    said: list[str] = []
    assert binaries(said.append).scheduler == str(cache() / "kube-scheduler")
    assert [line.partition(" into ")[0] for line in said] == [f"building kube-scheduler, kubectl {version()}"]
    binaries(lambda _: pytest.fail("built twice"))


def test_a_build_that_fails_leaves_nothing_and_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    go = programs(tmp_path / "path", "etcd", "go") / "go"
    go.write_text("#!/bin/sh\necho half > $7/${8##*/}\necho no such module >&2\nexit 1\n")
    with pytest.raises(UnavailableError, match="no such module"):
        binaries(print)
    assert [file.name for file in cache().iterdir()] == [".lock"]


def test_the_version_is_that_of_the_modules_file() -> None:
    assert version().startswith("v1.")
    text = (subject.MODULE / "go.mod").read_text("utf-8")
    major, minor, patch = version()[1:].split(".")
    replaced = [line.split()[-1] for line in text.splitlines() if " => k8s.io/" in line]
    assert replaced
    assert set(replaced) == {f"v0.{minor}.{patch}"}, f"all parts of Kubernetes {major}.{minor} are of one version"
