"""RayJobs that trainc writes, by the fields of KubeRay's API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import TARGET, compile_objects
from trainc.systems.rayjob.parameters import flags, labels, parameters

RAY: dict[str, Any] = {"launch": {"ray": {}}, "run": {"exec": ["train", "it's", "$(X)", "$(Y)", "a$$b"]}}


def spec(**fields: Any) -> Any:
    return compile_objects("rayjob", target=TARGET.replace(backend="rayjob"), **{**RAY, **fields})[-1]["spec"]


def test_worker_0_is_the_head_and_the_others_are_a_group() -> None:
    cluster = spec(workers=3)["rayClusterSpec"]
    (group,) = cluster["workerGroupSpecs"]
    assert [group[each] for each in ("replicas", "minReplicas", "maxReplicas")] == [2, 2, 2]
    main = cluster["headGroupSpec"]["template"]["spec"]["containers"][0]
    assert [port["name"] for port in main["ports"]] == ["gcs-server", "dashboard"]
    assert not {"command", "args"} & {*main, *group["template"]["spec"]["containers"][0]}
    assert "workerGroupSpecs" not in spec(workers=1)["rayClusterSpec"]


def test_a_shell_runs_the_entrypoint_with_the_words_of_the_program() -> None:
    assert spec(env=[{"name": "X", "value": "1"}])["entrypoint"] == """train 'it'"'"'s' "$X" '$(Y)' 'a$b'"""


def test_the_operator_submits_the_program_and_deletes_the_cluster() -> None:
    fields = spec(lifecycle={"backoffLimit": 2, "ttlSecondsAfterFinished": 60, "activeDeadlineSeconds": 5})
    assert (fields["submissionMode"], fields["shutdownAfterJobFinishes"]) == ("HTTPMode", True)
    assert [fields[each] for each in ("backoffLimit", "ttlSecondsAfterFinished", "activeDeadlineSeconds")] == [2, 60, 5]


def test_modes_are_those_of_the_operator() -> None:
    debug = spec(mode="debug")
    assert (debug["submissionMode"], debug["backoffLimit"], "entrypoint" in debug) == ("InteractiveMode", 0, False)
    assert spec(mode="paused")["suspend"] is True


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("--verbose", " --verbose "),
        ("--temp-dir=/a b", " --temp-dir='/a b' "),
        ("--include-log-monitor=true", " --include-log-monitor='true' "),  # `true` alone would be a switch
        ("--log-color=false", " --log-color=false "),
        ("--node-name=$(id)'", """ --node-name='$(id)'"'"'' """),
    ],
)
def test_a_shell_passes_parameters_on_as_they_are(argument: str, expected: str) -> None:
    assert flags(parameters([argument])) == expected


def test_labels_are_a_field_of_the_group() -> None:
    assert labels(["--labels=a=b", "--labels=role=rollout,x=y"]) == {"role": "rollout", "x": "y"}
    assert parameters(["--labels=a=b"]) == {}
