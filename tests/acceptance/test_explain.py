"""`trainc explain`: codes, fields, topics, terminal width, and suggestions for unknown subjects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import JOB, run_process, silent, succeed, trainc
from trainc.schema.cures.alias_tables import ANYWHERE

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "schemas" / "trainingjob.json").read_text())


def walk_fields(schema: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield paths and schemas of all fields, read from the JSON without the compiler."""
    if "$ref" in schema:
        document, _, name = schema["$ref"].partition("#/definitions/")
        if not document:
            yield from walk_fields(SCHEMA["definitions"][name], prefix)
        return
    for name, inner in schema.get("properties", {}).items():
        path = f"{prefix}.{name}".lstrip(".")
        yield path, inner
        yield from walk_fields(inner, path)
    for branch in schema.get("anyOf", ()):
        yield from walk_fields(branch, prefix)
    if isinstance(schema.get("items"), dict):
        yield from walk_fields(schema["items"], f"{prefix}[]")


FIELDS = dict(walk_fields(SCHEMA))


def test_the_walk_covers_the_schema() -> None:
    assert len(FIELDS) > 150
    assert {"spec.launch.torchrun.rendezvous.managed.image", "spec.volumes[].mounts[].mountPath"} <= FIELDS.keys()


@pytest.mark.sample(60)
@pytest.mark.parametrize("path", FIELDS)
def test_a_field_is_explained_by_its_description(path: str) -> None:
    out = silent("explain", path)
    assert out.startswith(f"FIELD: {path} <")
    description = FIELDS[path].get("description", "")
    assert " ".join(description.split()) in " ".join(out.split())


@pytest.mark.parametrize(
    ("subject", "path"),
    [
        ("launch.torchrun", "spec.launch.torchrun"),
        ("volumes.claim.size", "spec.volumes[].claim.size"),
        ("spec.volumes[0].claim", "spec.volumes[].claim"),
        ("TrainingJob.spec.run", "spec.run"),
        ("startMethod", "spec.launch.torchrun.startMethod"),
        ("resources.nvidia.com/gpu", "spec.resources.nvidia.com/gpu"),
        ("env.NCCL_DEBUG", "spec.env.NCCL_DEBUG"),
        ("scheduling.tolerations.effect", "spec.scheduling.tolerations[].effect"),
    ],
)
def test_a_part_of_a_path_selects_a_field(subject: str, path: str) -> None:
    assert trainc("explain", subject).out.startswith(f"FIELD: {path} <")


@pytest.mark.parametrize("subject", ["TC3003", "tc3003", "elastic-bounds"])
def test_a_code_is_selected_by_number_or_name(subject: str) -> None:
    done = trainc("explain", subject)
    assert done.out.startswith("TC3003 elastic-bounds: the bounds of an elastic job contradict each other\n\n")
    assert "\nWrong\n\n    apiVersion: trainc.dev/v1alpha1\n" in done.out
    assert "```" not in done.out


def test_topic_elastic_explains_manual_scaling() -> None:
    done = trainc("explain", "elastic")
    assert """kubectl patch job NAME -p '{"spec": {"parallelism": 6, "completions": 6}}'""" in done.out


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("jobset", "run by the JobSet controller"),
        ("JobSet", "trainc reads, writes, plans, rehearses its objects"),
        ("job", "run by Kubernetes"),
        ("vcjob", "`spec.scheduling.queue` is not supported: Volcano has queues of its own"),
        ("rayjob", "run by KubeRay"),
        ("backends", "statefulset: StatefulSet of apps/v1, run by Kubernetes"),
        ("spec.backend", "the job file has no field for it"),
    ],
)
def test_a_back_end_is_explained_by_its_traits(subject: str, text: str) -> None:
    assert text in " ".join(succeed("explain", subject).out.split())


def test_explain_lists_all_subjects_by_default() -> None:
    done = trainc("explain")
    assert re.search(r"^  TC3003  elastic-bounds +the bounds of an elastic job", done.out, flags=re.MULTILINE)
    assert "Topics: elastic" in done.out
    assert "Fields: `trainc explain spec`" in done.out


def test_an_example_shows_the_back_end_it_is_for() -> None:
    wrong, right = trainc("explain", "TC4040").out.split("\nRight\n")
    assert "    # trainc compile job.yaml --backend statefulset\n" in wrong
    assert "    # trainc compile job.yaml --backend job\n" in right


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("TC5040", "docs/diff.md has all rules."),
        ("TC3046", "on other systems: TC3110."),
        ("TC3107", "- elastic training (`trainc explain elastic`)"),
        ("TC5004", "use a8m/envsubst (https://github.com/a8m/envsubst)."),
    ],
)
def test_a_link_is_shown_by_its_text(subject: str, text: str) -> None:
    assert text in " ".join(trainc("explain", subject).out.split())


@pytest.mark.parametrize(
    ("subject", "suggestion"),
    [
        ("spec.schedulin", "spec.scheduling"),
        ("launch.torchrun.nproc_per_node", "spec.launch.torchrun.nprocPerNode"),
        ("elastic-bound", "elastic-bounds"),
        ("jobsett", "did you mean jobset?"),
        ("lsp", "`trainc lsp --help` describes the command"),
        ("--nnodes", "spec.workers"),
        ("nproc_per_node", "spec.launch.basic.nprocPerNode or spec.launch.jax.nprocPerNode"),
        ("--rdzv-conf", "spec.launch.torchrun.rendezvous.conf"),
        ("argument", "spec.checkpoint.argument or spec.save.argument"),
        ("spec.queue", "spec.scheduling.queue or "),
        ("spec.launch.timeout", "spec.lifecycle.activeDeadlineSeconds"),
        ("spec.failure", "`trainc explain spec` lists its fields"),
        ("spec.volumes.foo", "`trainc explain spec.volumes` lists its fields"),
        ("manifests/job.yaml:75", "use `trainc explain --manifest manifests/job.yaml:75`"),
        ("TC8999", "`trainc explain` lists codes and topics, `trainc explain spec` fields"),
        ("\x1b[31m", "`trainc explain` lists codes and topics, `trainc explain spec` fields"),
        ("", "FIELD"),
    ],
)
def test_an_unknown_subject_has_a_suggestion(subject: str, suggestion: str) -> None:
    done = trainc("explain", "--", subject)
    assert done.code == (0 if not subject else 2)
    assert suggestion in " ".join((done.out + done.err).split())
    assert "\x1b" not in done.err


@pytest.mark.parametrize("subject", ["spec.launch.torchrun", "elastic", "TC3003"])
def test_paragraphs_fit_the_terminal(subject: str) -> None:
    done = run_process("explain", subject, env={"COLUMNS": "60"})
    code, field = r"    .*[:{}'/]", r"  \w+ <.*"
    # URLs and the title are not wrapped.
    paragraphs = [line for line in done.out.split("\n")[1:] if not re.match(f"({code}|{field}|- https)", line)]
    assert max(len(line) for line in paragraphs) <= 60
    assert len(paragraphs) > 5


@pytest.mark.parametrize("path", ANYWHERE)
def test_names_of_other_tools_suggest_fields_that_have_a_page(path: str) -> None:
    assert trainc("explain", path).code == 0


@pytest.mark.parametrize(
    ("override", "subject"),
    [
        ("spec.workers=two", "spec.workers"),
        ("spec.lifecycle.activeDeadlineSeconds=24h", "spec.lifecycle.activeDeadlineSeconds"),
        ("spec.volumes=[{name: a, mountPth: /a}]", "spec.volumes"),
        ("spec.wrkers=2", "TC2002"),  # all of `spec` is no answer
        ("spec.podTemplate={spec: {hostname: 1}}", "TC2004"),  # a field of Kubernetes
    ],
)
def test_an_error_of_a_field_names_the_field_that_answers(override: str, subject: str) -> None:
    assert f"= see: trainc explain {subject}\n" in trainc("check", "-", "--set", override, stdin=JOB).err
    assert trainc("explain", subject).code == 0


@pytest.mark.parametrize("name", ["hang", "nccl", "oom", "logs"])
def test_a_running_job_in_trouble_has_a_page(name: str) -> None:
    out = silent("explain", name)
    assert "\nWhat to check\n" in out
    assert "\n    kubectl " in out
    assert re.search(r"\nSources: .*https://", out, re.DOTALL)


# Words of the field, and a subject that is about each: its page or description has the word.
WORDS = [
    ("multinode", "TC3061"),
    ("slurm", "TC1014"),
    ("kueue", "spec.scheduling.queue"),
    ("MASTER_ADDR", "TC3007"),
    ("out of memory", "TC3071"),
    ("prune", "trainc compile --prune"),
    ("preempt", "TC3052"),
]


@pytest.mark.parametrize(("word", "subject"), WORDS)
def test_a_word_is_searched_in_titles_texts_fields_and_options(word: str, subject: str) -> None:
    out = silent("explain", word)
    lines = out.splitlines()
    assert any(line.startswith(f"  {subject}: ") for line in lines), out
    assert all(len(line) <= 80 for line in lines)
    subjects = [line[2:].partition(": ")[0] for line in lines if line.startswith("  ") and line[2] not in " a"]
    assert all(trainc("explain", each).code == 0 for each in subjects if not each.startswith("trainc "))


def test_titles_come_before_texts() -> None:
    found = re.findall("^  (\\S+): (.*)", trainc("explain", "kueue").out, re.MULTILINE)
    has_word = ["Kueue" in title for _, title in found]
    assert has_word == sorted(has_word, reverse=True)
    assert any(has_word)
    assert not all(has_word)


def test_an_excerpt_shows_the_word_that_the_title_lacks() -> None:
    lines = trainc("explain", "another hangs").out.splitlines()
    (place,) = (index for index, line in enumerate(lines) if line.startswith("  TC3060: "))
    assert "hang" in lines[place + 1]


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("strategy", "`strategy` in `spec` of a job file: remove it: the program sets it."),
        ("tensorflow", "`tensorflow` in `spec.launch` of a job file: use `basic`, and write TF_CONFIG in the program"),
        ("tensorboard", "and start TensorBoard on the volume"),
    ],
)
def test_a_field_of_another_tool_is_explained_by_its_cure(word: str, advice: str) -> None:
    assert advice in " ".join(succeed("explain", word).out.split())


def test_a_search_without_result_says_what_it_searched_and_the_nearest_word() -> None:
    done = trainc("explain", "acelerate")
    pages = len(list((Path(__file__).resolve().parents[2] / "docs" / "errors").glob("TC*.md")))
    assert done.code == 2
    count = int(re.findall(r"in none of (\d+) codes, \d+ fields, 8 topics, the systems and options", done.err)[0])
    assert pages <= count <= pages + 10  # some codes have no page
    assert done.err.endswith("did you mean accelerate?\n")
    assert trainc("explain", "accelerate").code == 0
    assert "did you mean" not in trainc("explain", "zzqq").err
