"""Clusters of the project at `spec.cluster`: names, and what their entries say."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="the package pygls is not installed: pip install 'trainc[lsp]'")

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Rejected, error
from trainc.lsp.cluster_help import cluster_completions, cluster_hover, completes_clusters
from trainc.project.projects import Projects, load_projects
from trainc.span import Source, Span

HEAD = "apiVersion: trainc.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}\nspec:\n  image: a:1\n"
PROJECT = """\
apiVersion: trainc.dev/v1alpha1
kind: Project
clusters:
  prod: {file: prod.yaml}
  dev:
    spec:
      nodes:
      - {name: a, racks: {label: rack, nodes: {a: 2, b: 3}}, allocatable: {cpu: 8}}
      - {name: b, allocatable: {cpu: 8}}
  new: {spec: {}}
  wrong: {spec: {nods: 1}}
  missing: {file: missing.yaml}
"""
ENTRY = """\
apiVersion: trainc.dev/v1alpha1
kind: Cluster
metadata: {name: p}
spec: {backend: jobset, kubernetes: "1.34", nodes: []}
"""
FACTS = {
    "prod": "jobset, Kubernetes 1.34, 0 nodes",
    "dev": "6 nodes",
    "new": None,
    "wrong": "its entry is invalid: run trainc check",
    "missing": "its entry is invalid: run trainc check",
}


@pytest.fixture
def projects(tmp_path: Path) -> Projects:
    (tmp_path / "trainc.yaml").write_text(PROJECT)
    (tmp_path / "prod.yaml").write_text(ENTRY)
    job, file = str(tmp_path / "a.yaml"), str(tmp_path / "trainc.yaml")
    return load_projects({job: file}, states_backend=False, today="2026-01-01")


def test_clusters_are_completed_with_what_their_entries_say(projects: Projects, tmp_path: Path) -> None:
    items = cluster_completions(str(tmp_path / "a.yaml"), lambda _: projects)
    assert {each.label: each.detail for each in items} == FACTS


def test_the_hover_lists_the_clusters(projects: Projects, tmp_path: Path) -> None:
    text = HEAD + "  cluster: dev\n"
    shown = cluster_hover(str(tmp_path / "a.yaml"), text, text.index("cluster"), lambda _: projects)
    assert "- **prod**: jobset, Kubernetes 1.34, 0 nodes" in shown
    assert "- **new**: its entry has neither a version nor nodes" in shown
    assert cluster_hover("a.yaml", text, text.index("image"), lambda _: projects) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + "  cluster: ", True),
        (HEAD + "  cluster: pr", True),
        (HEAD + "  cluster", False),
        (HEAD + "  image: ", False),
        (HEAD + "  run:\n    cluster: ", False),
        ("apiVersion: v1\nkind: Pod\nspec:\n  cluster: ", False),
    ],
)
def test_where_clusters_are_completed(text: str, expected: bool) -> None:
    assert completes_clusters(text, len(text)) is expected


def test_without_a_valid_project_there_are_none() -> None:
    def fail(name: str) -> None:
        raise Rejected(error(codes.NOT_A_PROJECT, "wrong", Span(Source(name, ""), 1, 1, 1, 2)))

    assert cluster_completions("a.yaml", fail) == []
    assert cluster_completions("a.yaml", lambda _: None) == []
