"""docs/recipes/helm.md as it stands, with the real helm; other objects, hooks and notes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.support import recipes
from tests.support.command import JOB, fail, trainc

OTHERS = """\
apiVersion: v1
kind: Secret
metadata:
  name: token # a comment
stringData: {token: "010"}
---
apiVersion: v1
kind: Secret
metadata: {name: token, annotations: {helm.sh/hook: pre-install}}
---
apiVersion: v1
kind: Pod
metadata: {generateName: test-, annotations: {helm.sh/hook: test}}
spec: {containers: [{name: test, image: "test:1"}]}
"""


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def helm() -> Path:
    return recipes.require("helm")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, helm: Path) -> Path:
    return recipes.run_page("helm", tmp_path_factory.mktemp("page"), helm)


@pytest.mark.parametrize(("file", "backend"), [("dev.yaml", "job"), ("jobset.yaml", "jobset")])
def test_helm_prints_the_manifests_of_the_job(page: Path, file: str, backend: str) -> None:
    job = (
        (page / "chart" / "templates" / "mnist.yaml")
        .read_text()
        .replace("{{ .Release.Name }}", "dev")
        .replace("{{ .Values.image }}", "registry.example.com/mnist:1.4")
        .replace("{{ .Values.workers }}", "4")
    )
    expected = recipes.objects(trainc("compile", "-", "--backend", backend, stdin=job).out)
    assert recipes.objects((page / file).read_text()) == expected


def test_other_objects_hooks_and_notes_are_unchanged(page: Path, helm: Path, tmp_path: Path) -> None:
    templates = page / "chart" / "templates"
    (templates / "others.yaml").write_text(OTHERS)
    (templates / "NOTES.txt").write_text("installed\n")
    job = templates / "mnist.yaml"
    text = job.read_text()
    try:
        for content in (text, "{{/* no job */}}"):
            job.write_text(content)
            plain = recipes.run("helm template dev chart", page, helm).stdout
            done = recipes.run("helm template dev chart --post-renderer trainc", page, helm)
            assert done.returncode == 0, done.stderr
            sources = [part for part in plain.split("---\n") if "others.yaml" in part]
            assert len(sources) == 3
            printed = [part for part in done.stdout.split("---\n") if "others.yaml" in part]
            assert [yaml.safe_load(part) for part in printed] == [yaml.safe_load(part) for part in sources]
            assert "name: token # a comment" in done.stdout
    finally:
        job.write_text(text)


def test_an_object_of_the_chart_with_the_name_of_the_jobs_is_an_error() -> None:
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: mnist}\n---\n"
    done = trainc("post-render", stdin=service + JOB)
    assert done.code == 1
    assert "error[TC3002]: `Service/mnist` exists twice" in done.err
    assert done.out == ""


def test_the_jobs_are_checked_against_the_objects_of_the_chart() -> None:
    settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n---\n"
    volume = "{name: s, mountPath: /s, configMap: {name: settings, items: [{key: missing, path: x}]}}"
    err = fail("post-render", stdin=f"{settings}{JOB}  volumes:\n  - {volume}\n")
    assert "error[TC5019]: ConfigMap `settings` has no key `missing`" in err
