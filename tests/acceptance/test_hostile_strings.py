"""Every hostile string in every field that accepts it: the parsed manifests contain it unchanged.

The expected objects don't depend on the compiler's quoting: they are the manifests of the same job with harmless
placeholders, each replaced by the string. So a string can't change anything else either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import cycle
from typing import Any

import pytest
import yaml

from tests.support.build import ANY_LAUNCHER_BACKENDS, NATIVE_BACKENDS, emit
from tests.support.hostile import HOSTILE
from tests.support.string_slots import (
    PLACEHOLDERS,
    RESTRICTED_BY_RULES,
    Slot,
    SlotJobs,
    find_slots,
    flow_yaml,
    only_backend,
    substitute,
    with_texts,
)
from tests.support.yaml_readers import READERS, kubectl, libyaml_documents, needs_kubectl
from trainc import compile
from trainc.diagnostics.text import render
from trainc.systems.registry import NAMES

# Strings with a meaning in a field, which the output does not contain unchanged.
HAS_MEANING: dict[str, Callable[[str], bool]] = {
    "spec.image": lambda text: text in PLACEHOLDERS,
    # The compiler separates options of the program from the launcher's by `--`; no program has such a name.
    **dict.fromkeys(
        (f"spec.{run}.{kind}[]" for run in ("run", "mode.resumed.run") for kind in ("python", "exec")),
        lambda text: text.startswith("-"),
    ),
    # A module's name contains no slash either.
    **dict.fromkeys(
        ("spec.run.module[]", "spec.mode.resumed.run.module[]"), lambda text: text.startswith("-") or "/" in text
    ),
    # The name of a container or volume is a DNS label.
    **dict.fromkeys(
        [f"spec.podTemplate.spec.{kind}[].name" for kind in ("containers", "initContainers", "volumes")],
        lambda text: not re.fullmatch("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", text),
    ),
    # A command that certainly starts no sshd is rejected: docs/errors/TC4034.md
    "spec.launcherPod.workerCommand[]": lambda text: text == "true",
    # A single slash joins the folder and the file name.
    "spec.shareFile.directory": lambda text: text.endswith("/"),
    # torchrun splits at commas and drops empty parts.
    "spec.launch.torchrun.duplicateStdoutFilters[]": lambda text: "," in text,
    "spec.launch.torchrun.duplicateStderrFilters[]": lambda text: "," in text,
}
JOB_FILE_JOBS = SlotJobs(without=RESTRICTED_BY_RULES).jobs()
KUBERNETES_JOBS = SlotJobs(foreign=True, without=RESTRICTED_BY_RULES).jobs()
JOBS = [*JOB_FILE_JOBS, *KUBERNETES_JOBS]
IDS = [f"{kind}-{number}" for kind, jobs in (("job-file", JOB_FILE_JOBS), ("kubernetes", KUBERNETES_JOBS))
       for number in range(len(jobs))]  # fmt: skip
every_job = pytest.mark.parametrize("number", range(len(JOBS)), ids=IDS)
# Number of strings for each field of Kubernetes types; fields of the job file get all strings.
ROUNDS = 4
# Maximum length of manifests for kubectl.
LONG = 100_000


def compile_yaml(job: Any, backend: str) -> str:
    return emit(flow_yaml(job), backend)  # the strings are not what the API server accepts in each field


@cache
def placeholder_objects(number: int, backend: str) -> str:
    """Return the objects of a job with a placeholder in every string, as JSON."""
    return json.dumps(libyaml_documents(compile_yaml(with_texts(JOBS[number], {}), backend)))


def is_emitted_unchanged(slot: Slot, text: str) -> bool:
    if slot.path in HAS_MEANING and HAS_MEANING[slot.path](text):
        return False
    return slot.accepts(text) and not is_forbidden_path(slot.path, text)


def is_forbidden_path(field: str, text: str) -> bool:
    """Return whether Kubernetes forbids a path of a volume's file or mount (docs/errors/TC3100.md)."""
    name = field.rpartition(".")[2]
    if name == "mountPath":
        return ":" in text
    if field.endswith("hostPath.path"):
        return ".." in text.split("/")
    return name.lower().endswith("path") and (text.startswith(("/", "..")) or ".." in text.split("/"))


def variants(number: int) -> Iterator[tuple[str, dict[Slot, str]]]:
    """Yield back ends and texts: one string in all fields of the job file, different ones in Kubernetes fields."""
    job = JOBS[number]
    slots = [slot for slot in find_slots(job) if slot.accepts_most(HOSTILE)]
    only = only_backend(job)
    if number < len(JOB_FILE_JOBS):
        backends = NAMES if "deepspeed" in job["spec"]["launch"] else ANY_LAUNCHER_BACKENDS
        if "entrypoint" in job["spec"]["run"]:  # the operator of ElasticJobs adds arguments: docs/errors/TC4024.md
            backends = tuple(name for name in backends if name != "elasticjob")
        if "volcano" not in job["spec"].get("scheduling", {}).get("gang", ["volcano"]):
            backends = tuple(name for name in backends if name != "vcjob")  # docs/errors/TC4070.md
        rounds = [dict.fromkeys(slots, text) for text in HOSTILE]
    else:
        backends = NATIVE_BACKENDS  # the CRDs of operators lack the newest pod fields
        rounds = [
            {slot: HOSTILE[(position * ROUNDS + turn) % len(HOSTILE)] for position, slot in enumerate(slots)}
            for turn in range(ROUNDS)
        ]
    for backend, texts in zip(cycle((only,) if only else backends), rounds, strict=False):
        yield backend, {slot: text for slot, text in texts.items() if is_emitted_unchanged(slot, text)}


@cache
def manifests_and_expected(number: int) -> list[tuple[str, Any]]:
    """Return the manifests of all variants of a job with the expected objects."""
    results = []
    for backend, texts in variants(number):
        text = compile_yaml(with_texts(JOBS[number], texts), backend)
        results.append((text, substitute(placeholder_objects(number, backend), texts)))
    return results


@pytest.mark.sample(4)
@every_job
def test_strings_are_unchanged_in_every_field(number: int) -> None:
    for text, expected in manifests_and_expected(number):
        assert libyaml_documents(text) == expected


@pytest.mark.parametrize("mode", ["paused", "resumed"])
def test_strings_of_a_paused_job_are_unchanged_in_the_changes_for_later(mode: str) -> None:
    (job,) = SlotJobs(wanted=lambda slot: slot.path == f"spec.mode.{mode}.command[]").jobs()
    job["spec"] |= {"launch": {"deepspeed": {}}, "mode": {mode: {"command": list(HOSTILE)}}}
    (resource,) = libyaml_documents(compile_yaml(job, "deepspeedjob"))
    assert resource["spec"]["runMode"]["pause"]["resumeSpecs"] == [{"type": "worker", "command": list(HOSTILE)}]


@pytest.mark.slow
@needs_kubectl
@every_job
def test_strings_are_unchanged_in_every_field_with_kubectl(number: int) -> None:
    # kubectl parses long strings in the same way in every field, and they are most of the text.
    manifests = [(text, expected) for text, expected in manifests_and_expected(number) if len(text) < LONG]
    objects = kubectl("---\n".join(text for text, _ in manifests))
    for resource in objects:
        assert resource["metadata"]["labels"].pop("read") == "back"
    assert objects == [resource for _, expected in manifests for resource in expected]


@pytest.mark.sample(2)
@pytest.mark.parametrize("reader", READERS)
def test_all_strings_of_a_job_are_unchanged_with_every_parser(reader: str) -> None:
    program, values = list(HOSTILE[::-1]), {f"K{number}": text for number, text in enumerate(HOSTILE)}
    job: dict[str, Any] = {
        "apiVersion": "trainc.dev/v1alpha1",
        "kind": "TrainingJob",
        "metadata": {"name": "all", "annotations": values},
        "spec": {"image": "a", "launch": {"basic": {}}, "run": {"exec": program}, "env": values},
    }
    manifest = READERS[reader](compile_yaml(job, "job"))
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    assert manifest["metadata"]["annotations"] == values
    assert [*container["command"], *container["args"]][: len(program)] == program
    assert {entry["name"]: entry.get("value") for entry in container["env"]}.items() >= values.items()


@pytest.mark.parametrize("style", ["'", '"', "|", ">"])
def test_a_string_is_unchanged_in_every_quoting_style_of_the_job(style: str) -> None:
    job = yaml.safe_load(flow_yaml(with_texts(JOB_FILE_JOBS[0], {})))
    # libyaml, and so kubectl, reads an unescaped NEL as a line feed.
    job["spec"]["env"] = {f"K{number}": text for number, text in enumerate(HOSTILE) if "\x85" not in text}
    result = compile(yaml.dump(job, default_style=style, allow_unicode=True, default_flow_style=False))
    assert result.ok, render(result.diagnostics)
    (container,) = result.objects()[-1]["spec"]["template"]["spec"]["containers"]
    assert {entry["name"]: entry.get("value") for entry in container["env"]}.items() >= job["spec"]["env"].items()
