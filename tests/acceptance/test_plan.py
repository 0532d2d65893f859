"""`trainc plan`: from job files to what every pod will see."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.support.command import JOB, WRONG, trainc
from tests.support.examples import CASES, accepted, compiled, path
from tools.equivalence import by_job
from trainc import compile
from trainc.plan.equivalence import differences
from trainc.plan.plan import Plan, plan
from trainc.systems.registry import NAMES

GOOD = sorted(file for folder in ("good", "silent") for file in (Path(__file__).parent / folder).rglob("*.yaml"))


@pytest.mark.parametrize(("example", "backend"), CASES)
def test_no_example_has_a_fault(example: str, backend: str) -> None:
    if not accepted(example, backend):
        return
    done = trainc("plan", path(example), "--backend", backend, "--format", "json")
    assert done.code == 0
    assert [found for one in json.loads(done.out) for found in one["findings"]] == []


@pytest.mark.parametrize("file", GOOD, ids=lambda file: file.stem)
def test_no_good_job_has_a_fault_and_all_back_ends_agree_on_it(file: Path) -> None:
    plans: dict[str, dict[str, Plan]] = {}
    # A job that is good for one back end may be none for the others.
    only = re.search(r"^# with: .*--backend (\w+)", file.read_text("utf-8"), flags=re.MULTILINE)
    for backend in (only[1],) if only else NAMES:
        result = compile(file.read_bytes(), backend=backend, filename=file.name)
        for name, objects in by_job(result.objects()).items():
            found = plan(objects)
            if found.findings:  # a rendezvous at a name that only another back end's pods have
                assert "TC3094" in {diagnostic.code.id for diagnostic in result.diagnostics}
                continue
            plans.setdefault(name, {})[backend] = found
    for of_one in plans.values():
        assert [one for one in differences(of_one) if not one.is_expected] == []


def test_a_plan_is_for_people_unless_told_otherwise() -> None:
    done = trainc("plan", "-", stdin=JOB)
    assert done.code == 0
    assert done.out.startswith("mnist: torchrun, 2 pods × 1 process, world size 2\n")
    assert done.err == ""


def test_options_of_the_target_and_changes_count() -> None:
    done = trainc("plan", "-", "-b", "statefulset", "-n", "lab", "--set", "spec.workers=3", "-f", "json", stdin=JOB)
    (found,) = json.loads(done.out)
    assert (found["owner"], found["namespace"], len(found["pods"])) == ("StatefulSet/mnist", "lab", 3)


def test_a_wrong_job_has_no_plan(tmp_path: Path) -> None:
    done = trainc("plan", "-", "-o", tmp_path / "plan.svg", stdin=WRONG)
    assert done.code == 1
    assert "nothing was planned" in done.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "start"), [("plan.svg", "<svg"), ("plan.html", "<!doctype html>"), ("plan.txt", "mnist")]
)
def test_the_files_name_says_whether_it_is_a_picture(name: str, start: str, tmp_path: Path) -> None:
    assert trainc("plan", "-", "-o", tmp_path / name, stdin=JOB).code == 0
    assert (tmp_path / name).read_text("utf-8").startswith(start)


def test_a_picture_has_no_other_format(tmp_path: Path) -> None:
    done = trainc("plan", "-", "-o", tmp_path / "plan.svg", "-f", "json", stdin=JOB)
    assert done.code == 2
    assert "--format" in done.err


def test_a_pipe_may_take_the_plan() -> None:
    assert trainc("plan", "-", "-o", os.devnull, stdin=JOB).code == 0


@pytest.mark.parametrize("form", ["text", "json", "markdown", "mermaid"])
def test_two_jobs_have_two_plans(form: str) -> None:
    done = trainc("plan", "-", "-f", form, stdin=f"{JOB}---\n{JOB.replace('mnist', 'cifar')}")
    assert done.code == 0
    assert "mnist-0" in done.out
    assert "cifar-0" in done.out


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--strict",), 1)])
def test_a_fault_is_shown_and_fails_a_strict_plan(options: tuple[str, ...], code: int) -> None:
    done = trainc("plan", "-", *options, stdin=JOB + "  env: {A: $(LOST)}\n")
    assert "! mnist-0: `A` refers to `$(LOST)`, which is not defined before it" in done.out
    assert done.code == code


def test_objects_of_two_back_ends_make_one_world() -> None:
    """The plan of what the API gives is that of the command line."""
    for backend in ("job", "pods"):
        (found,) = json.loads(trainc("plan", path("torchrun"), "-b", backend, "-f", "json").out)
        assert (
            found["worldSizes"][0]["worldSize"]
            == plan(compiled("torchrun", backend).objects()).world_sizes[0].world
            == 32
        )


def test_verify_says_how_back_ends_differ_and_writes() -> None:
    done = trainc("compile", "-", "--verify", stdin=JOB)
    assert done.code == 0
    assert "kind: Job" in done.out
    assert "verify: mnist: same world on pods, job, statefulset, pytorchjob, elasticjob\n" in done.err
    assert "verify: mnist: success: a Job reports its success" in done.err


def test_verify_reads_what_an_operator_makes() -> None:
    done = trainc("compile", "-", "-b", "pytorchjob", "--verify", stdin=JOB)
    assert done.code == 0
    assert "kind: PyTorchJob" in done.out
    assert "verify: mnist: Services: an operator creates a Service for each pod" in done.err
    wrong = trainc("compile", "-", "-b", "pytorchjob", "--verify", stdin=JOB + "  env: {A: $(LOST)}\n")
    assert (wrong.code, wrong.out) == (1, "")
    assert "verify: mnist: mnist-worker-0: `A` refers to `$(LOST)`, which is not defined before it" in wrong.err


def test_verify_names_a_back_end_that_refuses_the_job() -> None:
    done = trainc("compile", path("queue"), "--verify")
    assert done.code == 0
    assert "verify: statefulset rejects the job" in done.err


def test_verify_writes_nothing_for_a_fault() -> None:
    done = trainc("compile", "-", "--verify", stdin=JOB + "  env: {A: $(LOST)}\n")
    assert (done.code, done.out) == (1, "")
    assert "verify: mnist: mnist-0: `A` refers to `$(LOST)`, which is not defined before it" in done.err
