"""`trainc status --command` and `--watch`, with a program in place of kubectl; tests/cluster runs the real one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.acceptance.test_status import RECORDED
from tests.support.command import JOB, clean_environment, fail, run_process, succeed, trainc
from tests.support.examples import example_path

PYTORCHJOB = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "metadata": {"name": "p", "namespace": "lab"},
    "spec": {"pytorchReplicaSpecs": {}},
}
OTHERS = "service,configmap,horizontalpodautoscaler,deployment,pod"


def commands(*arguments: str | Path, stdin: str = "") -> list[str]:
    """Return the commands of the printed line."""
    line = succeed("status", "--command", *arguments, stdin=stdin).out.removesuffix("\n")
    assert line.startswith("(")
    assert line.endswith(") | trainc status")
    return line[1:].removesuffix(") | trainc status").split("; ")


def test_objects_that_trainc_wrote_have_a_label() -> None:
    assert commands("-", "-n", "lab", stdin=JOB) == [
        f"kubectl get job,{OTHERS} -l trainc.dev/job=mnist -n lab -o json",
        "kubectl get event -n lab -o json",
    ]
    assert commands("mnist", "-n", "lab") == commands("-", "-n", "lab", stdin=JOB)


@pytest.mark.parametrize(
    ("backend", "kinds"),
    [
        ("pods", "pod,service,configmap,horizontalpodautoscaler,deployment -l trainc.dev/job=mnist"),
        ("statefulset", f"statefulset,{OTHERS} -l trainc.dev/job=mnist --show-managed-fields"),
        ("pytorchjob", f"pytorchjob.kubeflow.org,{OTHERS} -l trainc.dev/job=mnist"),
        ("vcjob", f"job.batch.volcano.sh,{OTHERS} -l trainc.dev/job=mnist"),
    ],
)
def test_kinds_of_a_back_end(backend: str, kinds: str) -> None:
    assert commands("mnist", "-b", backend)[0] == f"kubectl get {kinds} -o json"
    assert commands("-", "-b", backend, stdin=JOB)[0] == f"kubectl get {kinds} -o json"


def test_volcanos_short_name_has_the_label_of_its_pods() -> None:
    assert commands("vcjob/a")[:2] == [
        "kubectl get job.batch.volcano.sh a -o json",
        "kubectl get pod -l volcano.sh/job-name=a -o json",
    ]


def test_objects_of_other_tools_are_selected_by_the_label_of_their_controller() -> None:
    expected = [
        "kubectl get pytorchjob.kubeflow.org p -n lab -o json",
        "kubectl get pod -l training.kubeflow.org/job-name=p -n lab -o json",
        "kubectl get event,service,horizontalpodautoscaler -n lab -o json",
    ]
    assert commands("-", stdin=json.dumps(PYTORCHJOB)) == expected
    assert commands("pytorchjob/p", "-n", "lab") == expected


def test_a_rayjob_has_the_pods_of_its_cluster_and_of_the_submitter() -> None:
    get = "kubectl get rayjob.ray.io rl -n lab -o"
    assert commands("rayjob/rl", "-n", "lab")[:3] == [
        f"{get} json",
        f"""kubectl get pod -l ray.io/cluster="$({get} 'jsonpath={{.status.rayClusterName}}')" -n lab -o json""",
        "kubectl get pod -l job-name=rl -n lab -o json",
    ]


def test_the_name_of_the_cluster_is_queried_first(tmp_path: Path) -> None:
    env = fake_kubectl(tmp_path, "rayjob-submitter")
    program = (tmp_path / "kubectl").read_text()
    (tmp_path / "kubectl").write_text(
        program.replace(
            'case "$2"', 'case "$*" in *jsonpath*) echo mnist-864td; exit;; *" -l "*) exit;; esac\ncase "$2"'
        )
    )
    done = run_process("status", "rayjob/mnist", "-n", "ray", "--now", "newest", env=env)
    assert (done.code, done.err) == (0, "")
    assert "kubectl get pod -l ray.io/cluster=mnist-864td -n ray -o json" in (tmp_path / "calls").read_text()
    assert done.out.startswith("mnist: running, 3 of 3 workers run")


def test_a_trainjob_has_the_jobset_of_its_name_and_runtimes() -> None:
    runtimes, job_set = "trainingruntime.trainer.kubeflow.org", "jobset.jobset.x-k8s.io --field-selector metadata.name"
    assert commands("mnist", "-b", "trainjob") == [
        f"kubectl get trainjob.trainer.kubeflow.org,{runtimes},{OTHERS} -l trainc.dev/job=mnist -o json",
        f"kubectl get {job_set}=mnist -o json",
        "kubectl get event -o json",
    ]
    assert commands("trainjob/tj")[1:] == [
        f"kubectl get {job_set}=tj -o json",
        "kubectl get pod -l jobset.sigs.k8s.io/jobset-name=tj -o json",
        f"kubectl get event,service,horizontalpodautoscaler,{runtimes} -o json",
    ]


def test_an_unknown_kind_has_all_pods() -> None:
    assert commands("TFJob/a")[:2] == ["kubectl get tfjob a -o json", "kubectl get pod -o json"]


def test_a_queued_job_has_workloads() -> None:
    assert commands(example_path("queue"))[1].startswith("kubectl get event,workload.kueue.x-k8s.io ")


@pytest.mark.parametrize("job", ["-A", "a b", "a;b", "job/-o", "x/y/z z", "Job/../a"])
def test_what_is_no_name_is_refused(job: str) -> None:
    fail("status", f"--command={job}", code=2)


def test_a_broken_job_file_has_its_diagnostics(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB.replace("workers: 2", "workers: two"))
    assert "error[TC" in fail("status", "--command", tmp_path / "job.yaml")


@pytest.mark.parametrize("arguments", [("--command", "a", "file"), ("--command", "a", "--watch", "a")])
def test_conflicts(arguments: tuple[str, ...]) -> None:
    assert trainc("status", *arguments).code == 2


def fake_kubectl(folder: Path, *recordings: str, code: int = 0) -> dict[str, str]:
    """Return an environment whose kubectl prints the next recording for each query of objects, and no events."""
    for number, name in enumerate(recordings):
        (folder / f"{number}.json").write_text((RECORDED / f"{name}.json").read_text("utf-8"))
    program = f"""#!/bin/sh
echo "kubectl $*" >> {folder}/calls
case "$2" in event*) echo '{{"kind": "List", "items": []}}'; exit 0;; esac
n=$(cat {folder}/count 2>/dev/null || echo 0)
echo $((n + 1)) > {folder}/count
[ {code} = 0 ] || {{ echo "error: \\033[31mno rights" >&2; exit {code}; }}
cat {folder}/$n.json
"""
    (folder / "kubectl").write_text(program)
    (folder / "kubectl").chmod(0o755)
    return clean_environment(PATH=f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize(
    ("recordings", "code", "states"),
    [
        (("creating", "running", "complete"), 0, ["pending", "running", "succeeded"]),
        (("backoff", "rule"), 1, ["degraded", "failed"]),
    ],
)
def test_a_job_is_watched_until_it_has_ended(
    tmp_path: Path, recordings: tuple[str, ...], code: int, states: list[str]
) -> None:
    env = fake_kubectl(tmp_path, *recordings)
    done = run_process("status", "--watch", "mnist", "--interval", "1", env=env)
    assert (done.code, done.err) == (code, "")
    heads = [line for line in done.out.splitlines() if line.startswith("mnist: ")]
    assert [line.split()[1].rstrip(",") for line in heads] == states
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls == commands("mnist") * len(states)


def test_a_page_is_written_again_and_again(tmp_path: Path) -> None:
    env = fake_kubectl(tmp_path, "running", "complete")
    done = run_process("status", "--watch", "mnist", "--interval", "1", "-o", tmp_path / "status.html", env=env)
    assert (done.code, done.out) == (0, "")
    assert "succeeded" in (tmp_path / "status.html").read_text("utf-8")


def test_an_error_of_kubectl_ends_the_first_run(tmp_path: Path) -> None:
    done = run_process("status", "--watch", "mnist", env=fake_kubectl(tmp_path, "running", code=1))
    assert done.code == 2
    assert done.err == "error: error: \\u001b[31mno rights\n"


def test_a_missing_kubectl_is_an_error(tmp_path: Path) -> None:
    done = run_process("status", "--watch", "mnist", env={"PATH": str(tmp_path)})
    assert (done.code, done.err) == (2, "error: kubectl can't be started: no such file or directory\n")


def test_a_job_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    env = fake_kubectl(tmp_path, "running")
    (tmp_path / "0.json").write_text('{"kind": "List", "items": []}')
    done = run_process("status", "--watch", "mnist", env=env)
    assert done.code == 1
    assert "the cluster has no pod and no object of job `mnist`" in done.err


@pytest.mark.parametrize("job", ["mnist", "job/mnist", "job.yaml"])
def test_a_job_is_queried_once(here: Path, job: str) -> None:
    (here / "job.yaml").write_text(JOB)
    env = fake_kubectl(here, "running", "running")
    done = run_process("status", job, "--now", "newest", env=env)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("mnist: running, 2 of 2 workers run")
    assert (here / "calls").read_text().splitlines() == commands(job)
    again = "trainc compile job.yaml" if job == "job.yaml" else "trainc compile FILE"
    assert f"kubectl delete job mnist -n running && {again} | kubectl apply -f - -n running\n" in done.out


def test_manifests_without_status_are_a_job_file(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(json.dumps(PYTORCHJOB))
    env = fake_kubectl(tmp_path, "pytorchjob-paused", "pytorchjob-paused")
    done = run_process("status", tmp_path / "p.json", env=env)
    assert done.code == 1
    assert "the cluster has no pod and no object of job `p`" in done.err
    assert (tmp_path / "calls").read_text().splitlines()[0] == "kubectl get pytorchjob.kubeflow.org p -n lab -o json"


def test_without_kubectl_a_job_has_the_line_to_run_elsewhere(tmp_path: Path) -> None:
    done = run_process("status", "mnist", env={"PATH": str(tmp_path)})
    assert (done.code, done.out) == (2, "")
    first, _, line = done.err.splitlines()
    assert first == "error: kubectl is not on PATH: run this line where it is"
    assert line.strip() == trainc("status", "--command", "mnist").out.strip()


def test_a_failed_query_is_an_error(tmp_path: Path) -> None:
    done = run_process("status", "mnist", env=fake_kubectl(tmp_path, "running", code=1))
    assert (done.code, done.out, done.err) == (2, "", "error: error: \\u001b[31mno rights\n")


def test_a_job_file_with_errors_is_not_queried(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB.replace("workers: 2", "workers: two"))
    done = run_process("status", tmp_path / "job.yaml", env=fake_kubectl(tmp_path, "running"))
    assert (done.code, done.out) == (1, "")
    assert not (tmp_path / "calls").exists()


def test_a_piped_job_file_starts_no_kubectl(tmp_path: Path) -> None:
    assert "= help: run `trainc status JOB` to query a job file or a name in the cluster\n" in fail("status", stdin=JOB)


def test_a_job_of_another_back_end_has_the_option_for_it(tmp_path: Path) -> None:
    env = fake_kubectl(tmp_path, "trainjob-restarted")
    lines = (tmp_path / "0.json").read_text("utf-8").splitlines()
    of_query = [line for line in lines if json.loads(line)["kind"] in ("Pod", "Service")]
    (tmp_path / "0.json").write_text("\n".join(of_query))
    done = run_process("status", "mnist", env=env)
    assert (done.code, done.out) == (1, "")
    assert "job `mnist` has objects, but no Job: it has another back end\n" in done.err
    assert "= help: add `--backend jobset` or `--backend trainjob`\n" in done.err
