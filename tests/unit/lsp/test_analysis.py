"""Analysis of project files, of entries of clusters, and of a document when the compiler fails; files of trainc."""

from __future__ import annotations

import pytest

pytest.importorskip("pygls", reason="the package pygls is not installed: pip install 'trainc[lsp]'")

from trainc.lsp import analysis
from trainc.span import Source


def test_an_exception_of_the_compiler_is_one_diagnostic_at_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(analysis, "read_sources", fail)
    result = analysis.analyse("a.yaml", "kind: TrainingJob\n", lambda _: None)
    (found,) = result.diagnostics
    assert (found.code.id, found.span.line, found.span.column) == ("TC9001", 1, 1)
    assert found.message == "trainc failed: ZeroDivisionError: division by zero"
    assert result.jobs == []


HEAD = "apiVersion: trainc.dev/v1alpha1\nkind: {}\n"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("trainc.yaml", HEAD.format("Project") + "jobs: [a/]\n", []),
        ("other.yaml", HEAD.format("Project") + "jobs: [a/]\n", []),
        ("trainc.yaml", HEAD.format("Project") + "jbos: [a/]\n", [("TC2002", 3, 1)]),
        ("trainc.yaml", HEAD.format("Project") + "jobs: [\n", [("TC1003", 4, 1)]),
        ("trainc.yaml", "jobs: [a/]\n", [("TC6001", 1, 1)]),
        ("trainc.yaml", HEAD.format("Project") + "clusters: {a: {spec: {}}, b: b.yaml}\n", []),
        ("trainc.yaml", HEAD.format("Project") + "clusters: {a: {spec: {nods: []}}}\n", [("TC2002", 3, 23)]),
        ("trainc.yaml", HEAD.format("Project") + "clusters:\n  a: {nodes: []}\n", [("TC2002", 4, 7)]),
        ("prod.yaml", HEAD.format("Cluster") + "metadata: {name: a}\nspec: {}\n", []),
        ("prod.yaml", HEAD.format("Cluster") + "metadata: {name: a}\nspec: {nods: []}\n", [("TC2002", 4, 8)]),
        ("prod.yaml", "apiVersion: cluster.x-k8s.io/v1\nkind: Cluster\nspec: {nods: []}\n", []),
    ],
)
def test_project_files_and_entries_of_clusters_have_their_own_errors(
    name: str, text: str, expected: list[tuple[str, int, int]]
) -> None:
    errors = analysis.analyse(f"/a/{name}", text, lambda _: None).diagnostics
    assert [(each.code.id, each.span.line, each.span.column) for each in errors] == expected


EMBEDDED = "    apiVersion: trainc.dev/v1alpha1\n    kind: TrainingJob\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD.format("TrainingJob"), True),
        ("apiVersion: v1\nkind: Secret\n---\n" + HEAD.format("Cluster"), True),
        ('"apiVersion": trainc.dev/v1alpha1\nkind: Project\n', True),
        ("apiVersion: v1\nkind: ConfigMap\ndata:\n  job.yaml: |\n" + EMBEDDED, False),
        ("apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {trainc.dev/job: a}\n", False),
        ("a: [\n", False),
    ],
)
def test_files_of_trainc(text: str, expected: bool) -> None:
    assert analysis.is_own_file(Source("a.yaml", text)) is expected
