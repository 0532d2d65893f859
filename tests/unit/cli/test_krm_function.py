"""Results of a KRM function, and inputs that no version of kustomize passes."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.support.command import JOB, trainc

LIST: dict[str, Any] = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"}
GENERATOR: dict[str, Any] = {
    "apiVersion": "trainc.dev/v1alpha1",
    "kind": "TrainingJobGenerator",
    "metadata": {"name": "jobs"},
}


# https://github.com/kubernetes-sigs/kustomize/blob/kyaml/v0.20.1/cmd/config/docs/api-conventions/functions-spec.md
def test_results_name_the_job_and_severity() -> None:
    job = yaml.safe_load(JOB)
    job["spec"]["env"] = {"DB_PASSWORD": "for-tests"}
    done = trainc("krm-function", stdin=yaml.safe_dump({**LIST, "items": [job]}))
    (result,) = yaml.safe_load(done.out)["results"]
    reference = {"apiVersion": "trainc.dev/v1alpha1", "kind": "TrainingJob", "name": "mnist"}
    assert (done.code, result["severity"], result["resourceRef"]) == (0, "warning", reference)
    assert result["tags"]["code"] == "TC3087"
    assert result["message"]


def test_after_an_error_the_items_are_those_of_the_input() -> None:
    job = yaml.safe_load(JOB)
    job["spec"]["workers"] = 0
    done = trainc("krm-function", stdin=yaml.safe_dump({**LIST, "items": [job]}))
    output = yaml.safe_load(done.out)
    assert (done.code, output["items"], output["results"][0]["severity"]) == (1, [job], "error")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "standard input is not a ResourceList"),
        (JOB, "standard input is not a ResourceList"),
        ("{apiVersion: config.kubernetes.io/v1, kind: ResourceList}\n---\n{}", "standard input is not a ResourceList"),
        (yaml.safe_dump({**LIST, "items": {}}), "`items` must be a list"),
        (yaml.safe_dump({**LIST, "functionConfig": GENERATOR}), "`files` of TrainingJobGenerator is missing"),
        (yaml.safe_dump({**LIST, "functionConfig": {**GENERATOR, "files": "a"}}), "`files` must be a list"),
        (yaml.safe_dump({**LIST, "functionConfig": {**GENERATOR, "files": [{}]}}), "`files` must be a list"),
        (yaml.safe_dump({**LIST, "functionConfig": {**GENERATOR, "files": [], "x": 1}}), "unknown field `x`"),
        (yaml.safe_dump({**LIST, "functionConfig": {**GENERATOR, "files": ["none.yaml"]}}), "cannot read the file"),
        (yaml.safe_dump({**LIST, "functionConfig": {**GENERATOR, "kind": "TrainingJobs"}}), "`kind` is `TrainingJobs`"),
        (yaml.safe_dump({**LIST, "items": [yaml.safe_load(JOB), yaml.safe_load(JOB)]}), "two jobs create the object"),
    ],
)
def test_errors(text: str, message: str) -> None:
    done = trainc("krm-function", stdin=text)
    assert done.code == 1
    assert message in done.err


@pytest.mark.parametrize(
    "text",
    [
        yaml.safe_dump(LIST),
        yaml.safe_dump({**LIST, "items": [], "functionConfig": None}),
        yaml.safe_dump({**LIST, "items": [None, 1, "a", [], {}], "functionConfig": "a"}),
        yaml.safe_dump({**LIST, "items": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": None}]}),
        yaml.safe_dump(
            {
                **LIST,
                "items": [{**GENERATOR, "metadata": {"annotations": {"config.kubernetes.io/local-config": "true"}}}],
                "functionConfig": {**GENERATOR, "files": []},
            }
        ),
    ],
)
def test_other_items_stay_as_they_are(text: str) -> None:
    done = trainc("krm-function", stdin=text)
    assert (done.code, done.err) == (0, "")
    assert yaml.safe_load(done.out) == {**LIST, "items": yaml.safe_load(text).get("items", [])}
