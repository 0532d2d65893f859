"""trainc's own output, changed by hand so that its readers once failed."""

from __future__ import annotations

import json
from typing import Any

from tests.cluster.goldens import GOLDENS, key, objects
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import check_inputs
from trainc.frontend import read_sources
from trainc.span import Source
from trainc.target import Target

PATHS = {key(golden): golden for golden in GOLDENS}


def errors_of(golden: str, kind: str, change: Any) -> list[Diagnostic]:
    documents = objects(PATHS[golden], "default")
    change(next(each for each in documents if each["kind"] == kind))
    text = "\n---\n".join(json.dumps(each) for each in documents)
    diagnostics = check_inputs(read_sources([Source("job.yaml", f"{text}\n")]), Target()).diagnostics
    return [each for each in diagnostics if each.severity == "error"]


def test_pods_whose_command_lines_differ_in_length_have_lists_of_strings() -> None:
    errors = errors_of("queue/pods", "Pod", lambda pod: pod["spec"]["containers"][0]["command"].append("more"))
    assert not [each for each in errors if "must be a list of strings" in each.message]


def test_an_option_that_mpirun_does_not_have_is_read() -> None:
    def rename(config: Any) -> None:
        arguments = config["spec"]["tasks"][0]["template"]["spec"]["containers"][0]["args"]
        arguments[arguments.index("-np")] = "-npx"

    assert not errors_of("nccl-tests/vcjob", "Job", rename)


def test_an_option_of_mpirun_that_is_given_twice_is_read() -> None:
    def bind_twice(job: Any) -> None:
        arguments = job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]["args"]
        arguments.insert(arguments.index("--bind-to"), "--bind-to=core")

    assert not errors_of("mpirun/mpijob", "MPIJob", bind_twice)


def test_the_end_of_mpiruns_options_is_read() -> None:
    def end_options(job: Any) -> None:
        arguments = job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]["args"]
        arguments.insert(arguments.index("python3"), "--")

    assert not errors_of("mpirun/mpijob", "MPIJob", end_options)


def test_a_pod_without_metadata_is_an_error() -> None:
    assert errors_of("deepspeed-exec/pods", "Pod", lambda pod: pod.update(METADATA=pod.pop("metadata")))


def test_a_pod_whose_name_is_a_list_is_an_error() -> None:
    assert errors_of("queue/pods", "Pod", lambda pod: pod["metadata"].update(name=[]))


def test_an_own_command_without_arguments_is_read() -> None:
    errors_of("basic-processes/trainjob", "TrainJob", lambda job: job["spec"].update(trainer={"args": []}))
