"""Completion and hover: which fields may be added, and what values become in the job."""

from __future__ import annotations

import pytest

pytest.importorskip("pygls", reason="the package pygls is not installed: pip install 'trainc[lsp]'")

from trainc.lsp.analysis import analyse
from trainc.lsp.schema_help import completions, hover

HEAD = "apiVersion: trainc.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}\n"
SPEC = "spec:\n  image: a:1\n  run: {python: [train.py]}\n"
JOB = (
    HEAD + SPEC + "  launch: {torchrun: {nprocPerNode: 8}}\n  workers: 4\n  resources: {gpu: 8, cpu: 2, memory: 3Gi}\n"
)


def labels(text: str) -> set[str]:
    before, _, after = text.partition("|")
    return {each.label for each in completions(before + after, len(before))}


def shown(text: str) -> str:
    before, _, after = text.partition("|")
    text = before + after
    return hover(text, len(before), analyse("a.yaml", text, lambda _: None).jobs) or ""


@pytest.mark.parametrize(
    ("text", "offered", "left_out"),
    [
        ("|", {"apiVersion", "kind", "metadata", "spec"}, set()),
        (HEAD + SPEC + "  |\n", {"workers", "launch"}, {"image", "run"}),
        (HEAD + "spec:\n  |\n  image: a:1\n", {"run", "workers"}, {"image"}),
        (HEAD + "spec:\n  launch:\n    |\n", {"basic", "torchrun"}, set()),
        (HEAD + "spec:\n  launch:\n    jax: {}\n    |\n", set(), {"torchrun", "basic", "jax"}),  # exactly one
        (HEAD + "spec:\n  volumes:\n  - name: a\n    nfs: {}\n    |\n", {"mountPath"}, {"name", "nfs", "hostPath"}),
        (HEAD + "spec:\n  volumes:\n  - name: a\n    nfs: {}\n  - |\n", {"name", "nfs", "hostPath"}, set()),
        (HEAD + "spec:\n  volumes:\n  - |\n  - name: a\n", {"name", "mountPath"}, set()),
        (HEAD + SPEC + "---\n" + HEAD + "spec:\n  |\n", {"image", "run"}, set()),
        ("apiVersion: batch/v1\nkind: Job\nspec:\n  |\n", set(), {"image", "workers"}),
        (HEAD + SPEC + "---\nkind: ConfigMap\n|\n", set(), {"spec", "metadata"}),
        ("replicas: 1\n|\n", set(), {"spec", "kind"}),
    ],
)
def test_fields_that_may_be_added(text: str, offered: set[str], left_out: set[str]) -> None:
    names = labels(text)
    assert offered <= names
    assert names.isdisjoint(left_out)
    assert offered or not names


PROJECT = "apiVersion: trainc.dev/v1alpha1\nkind: Project\n"
CLUSTER = "apiVersion: trainc.dev/v1alpha1\nkind: Cluster\n"


@pytest.mark.parametrize(
    ("text", "file", "offered", "left_out"),
    [
        (PROJECT + "|", "a.yaml", {"jobs", "clusters", "policy"}, {"kind", "spec"}),
        ("|", "/a/trainc.yaml", {"kind", "jobs"}, {"spec"}),
        ("jobs: [a]\npolicy:\n  |", "/a/trainc.yaml", {"maxGPUs", "requiredLabels"}, {"jobs"}),
        (PROJECT + "messageFormat: |", "a.yaml", {"full", "concise"}, set()),
        (CLUSTER + "spec:\n  |", "a.yaml", {"nodes", "kubernetes"}, {"workers"}),
        (PROJECT + "clusters:\n  dev:\n    spec:\n      |", "a.yaml", {"nodes", "kubernetes"}, {"jobs"}),
        (PROJECT + "clusters:\n  dev:\n    |", "a.yaml", set(), {"jobs", "nodes"}),
        ("apiVersion: argoproj.io/v1\nkind: Project\n|", "a.yaml", set(), {"jobs"}),
        ("apiVersion: cluster.x-k8s.io/v1\nkind: Cluster\nspec:\n  |", "a.yaml", set(), {"nodes"}),
    ],
)
def test_fields_of_other_files_of_trainc(text: str, file: str, offered: set[str], left_out: set[str]) -> None:
    before, _, after = text.partition("|")
    names = {each.label for each in completions(before + after, len(before), file)}
    assert offered <= names
    assert names.isdisjoint(left_out)
    assert offered or not names


def test_hover_in_a_project_file() -> None:
    text = PROJECT + "manifests: a/\npolicy:\n  maxGPUs: 8\n"
    assert (hover(text, text.index("manifests"), []) or "").startswith("**manifests**: path\n\nWhere compile writes")
    assert "Most GPUs of a job" in (hover(text, text.index("maxGPUs"), []) or "")


def test_required_fields_are_first_and_defaults_are_shown() -> None:
    items = {each.label: each for each in completions(HEAD + "spec:\n  ", len(HEAD) + 8)}
    ordered = sorted(items.values(), key=lambda each: each.sort_text or "")
    assert {each.label for each in ordered[:3]} == {"image", "launch", "run"}
    assert "Default: `1`" in str(items["workers"].documentation)
    assert items["image"].detail == "image, required"
    assert items["mode"].detail == 'run, debug, paused or Mode, default: "run"'
    reason = "default of an elastic job: minReplicas if it has an autoscaler, else maxReplicas"
    assert items["workers"].detail == f"integer, default: 1, {reason}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (JOB.replace("workers", "wor|kers"), "4 workers, 32 processes"),
        (JOB.replace("workers", "wor|kers"), "- `a-1`: ranks 8–15 of 32"),
        (JOB.replace("nproc", "n|proc"), "- `a-3`: ranks 24–31 of 32"),
        (JOB.replace("gpu:", "g|pu:"), "8 GPUs for each of 4 workers, 32 GPUs in all"),
        (JOB.replace(": 8}", ": 1}").replace("gpu: 8", "g|pu: 1"), "1 GPU for each of 4 workers, 4 GPUs in all"),
        (JOB.replace("cpu:", "c|pu:"), "2 CPUs for each of 4 workers, 8 CPUs in all"),
        (JOB.replace("3Gi", "3|Gi"), "3Gi for each of 4 workers, 12Gi in all"),
        (JOB + "  elastic: {|minReplicas: 2, maxReplicas: 6}\n", "- maximum: 6 workers, 48 processes"),
        (JOB + "  elastic: {|minReplicas: 2, maxReplicas: 6}\n", "- minimum: 2 workers, 16 processes"),
        (JOB + "---\n" + JOB.replace("name: a", "name: b").replace("workers: 4", "wor|kers: 1"), "`b-0`: ranks 0–7"),
    ],
)
def test_hover_says_what_a_value_becomes(text: str, words: str) -> None:
    assert words in shown(text)


LIFECYCLE = JOB + "  lifecycle: {activeDeadlineSeconds: 86400, backoffLimit: 12, terminationGracePeriodSeconds: 30}\n"
QUEUE = JOB + "  scheduling: {queue: team-a, priorityClassName: high}\n"


@pytest.mark.parametrize(
    ("text", "words", "others"),
    [
        (JOB.replace("kind", "ki|nd"), "- **objects**: 2 Services, Job/a", "rank"),
        (JOB.replace("launch", "lau|nch"), "- **rendezvous**: c10d at a-0:29400", "rank"),
        (JOB.replace("python", "py|thon"), "- **command**: torchrun train.py", "rendezvous"),
        (LIFECYCLE.replace("activeD", "active|D"), "- **the job has run for 1 d**: the Job fails", "a worker fails"),
        (LIFECYCLE.replace("backoff", "back|off"), "up to 12 times for all workers together", "1 d"),
        (LIFECYCLE.replace("Grace", "Gra|ce"), "SIGKILL after 30 s", ""),  # the default: all events
        (QUEUE.replace("queue", "que|ue"), "- **the job is applied**: Kueue admits it", "a worker fails"),
        (QUEUE.replace("Class", "Cl|ass"), "PriorityClass of the pods", "\n- "),
        (
            JOB.replace("8}}", "8, max|Restarts: 3}}"),
            "- **a process fails**: torchrun restarts all processes, up to 3 times",
            "is complete",
        ),
    ],
)
def test_hover_says_what_a_field_decides_in_the_plan(text: str, words: str, others: str) -> None:
    assert words in shown(text)
    assert not others or others not in shown(text)


@pytest.mark.parametrize("markup", ["![x](https://example.com/x)", "<b>", "**b**", "`b`"])
def test_a_text_of_the_user_is_no_markup(markup: str) -> None:
    hover_text = shown(JOB.replace("python: [train.py]", f"py|thon: [train.py, '{markup}']"))
    assert "- **command**: torchrun train.py" in hover_text
    assert markup not in hover_text


def test_hover_of_an_invalid_job_describes_the_field_only() -> None:
    text = JOB.replace("workers: 4", "wor|kers: []")
    assert shown(text).startswith("**spec.workers**: integer")
    assert "of 32" not in shown(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # 3Gi of memory: /dev/shm has half of it. c10d's port is that of torchrun.
        (JOB.replace("spec", "sp|ec"), "- **sharedMemory**: 1536Mi (Default with GPUs"),
        (JOB.replace("spec", "sp|ec"), "- **launch.torchrun.rendezvous.port**: 29400"),
        (
            JOB.replace("torchrun", "torch|run"),
            "- **rendezvous.port**: 29400 (Default: 29400 for c10d, 29500 for static)",
        ),
        (JOB + "  lifecycle: {|ttlSecondsAfterFinished: 60}\n", ""),
        (
            JOB + "  life|cycle: {ttlSecondsAfterFinished: 60}\n",
            "- **restartPolicy**: Never (Default: OnFailure on pods",
        ),
        (JOB + "  life|cycle: {restartPolicy: OnFailure, backoffLimit: 2}\n", ""),
        (JOB.replace("resources", "res|ources"), ""),
    ],
)
def test_hover_of_a_section_lists_the_defaults_of_what_it_lacks(text: str, words: str) -> None:
    assert words in shown(text)
    assert ("Defaults:" in shown(text)) is bool(words)


def test_hover_in_other_manifests_is_empty() -> None:
    assert shown("apiVersion: v1\nkind: Pod\nspec:\n  |volumes: []\n") == ""
