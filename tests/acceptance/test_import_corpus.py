"""Public jobs of other systems: each is translated, with the meaning of the original, or gets an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import trainc
from tests.support.facts import Fact, corpus_folder, job_facts, manifest_facts
from tests.support.foreign_jobs import compile_text
from tools import imports
from trainc.cli.guard import OK, WRONG_INPUT

FOLDER = corpus_folder()
# Files that docs/import.md lists.
FILES = [file for value in imports.listed_files(FOLDER).values() for file in value] if FOLDER else []
# Another kind of manifest, dlrover's ElasticJob, and roles with different programs.
REFUSED = ("error[TC2001]", "error[TC5015]", "error[TC5005]")
SKIPPED = "there are no public jobs to read: no ../shared/corpus, and TRAINC_CORPUS names no folder"


@pytest.fixture(autouse=True)
def _needs_the_corpus() -> None:
    if FOLDER is None:
        pytest.skip(SKIPPED)


def test_the_corpus_has_jobs_of_every_kind() -> None:
    assert {file.parent.name for file in FILES} == set(imports.kinds())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name[-60:])
def test_an_unrendered_template_gets_one_error(file: Path) -> None:
    done = trainc("import", file)
    if "{{" in file.read_text("utf-8") or imports.read(file).is_template:
        assert done.code == WRONG_INPUT
        assert done.err.count("error[") == 1
        assert "error[TC5004]: unrendered template: " in done.err
    else:
        assert done.code == OK or any(code in done.err for code in REFUSED)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name[-60:])
def test_an_imported_job_compiles_to_what_the_original_compiles_to(file: Path) -> None:
    text = imports.fill(file.read_text("utf-8"))
    done = trainc("import", "-", stdin=text)
    if done.code != OK:
        assert any(code in done.err for code in (*REFUSED, "error[TC5004]"))
        return
    for backend in ("job", "statefulset"):
        left, right = compile_text(text, backend), compile_text(done.out, backend)
        assert left.ok == right.ok
        texts = [[each.text for job in result.jobs for each in job.manifests()] for result in (left, right)]
        assert texts[0] == texts[1]


def jobs(text: str) -> list[dict[str, Any]]:
    """Return the PyTorchJobs of a text, parsed without trainc."""
    try:
        documents = list(yaml.safe_load_all(text))
    except yaml.YAMLError:
        return []
    return [document for document in documents if document and document.get("kind") == "PyTorchJob"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name[-60:])
def test_disabled_elastic_policies_and_autoscalers_without_a_request_are_reported(file: Path) -> None:
    text = imports.fill(file.read_text("utf-8"))
    for job in jobs(text):
        policy = job["spec"].get("elasticPolicy") or {}
        container = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
        words = " ".join([*container.get("command", []), *container.get("args", [])])
        fixed = "torchrun" in words and "--nnodes" in words and policy.get("minReplicas") != policy.get("maxReplicas")
        resources = container.get("resources", {})
        asked = {**resources.get("requests", {}), **resources.get("limits", {})}
        codes = imports.job_errors(text)
        assert ("TC3062" in codes) == fixed
        assert ("TC4003" in codes) == (bool(policy.get("metrics")) and "cpu" not in asked)


def is_set_by_variables(fact: Fact) -> bool:
    """Return whether trainc's variables replace an argument, or equal bounds a range."""
    if fact[0] == "argument":
        return fact[1].endswith("/torchrun") or fact[1].partition("=")[0] in (
            *("--nnodes", "--nproc_per_node", "--node_rank", "--master_addr", "--master_port", "--rdzv_backend"),
            *("python", "-m", "torch.distributed.run"),
        )
    return fact[:2] in (("env", "PET_NNODES"), ("env", "PET_MAX_RESTARTS")) and fact[2] in ('"2:2"', '"0"')


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name[-60:])
def test_a_compiled_job_has_every_fact_of_the_original(file: Path) -> None:
    text = imports.fill(file.read_text("utf-8"))
    result = compile_text(text)
    for job in jobs(text) if result.ok else ():
        for role in job["spec"]["pytorchReplicaSpecs"].values():
            role.setdefault("replicas", 1)
        job["spec"].setdefault("elasticPolicy", {}).setdefault("rdzvHost", "")
        if not job["spec"]["elasticPolicy"]["rdzvHost"]:
            del job["spec"]["elasticPolicy"]  # trainc has another name for the first worker
        lost = (
            job_facts(job)[0] - manifest_facts([each.data() for value in result.jobs for each in value.manifests()])[0]
        )
        lost -= {("processes", "1")}
        if "spec.nprocPerNode" in imports.read(file).dropped:
            lost -= {("processes", str(job["spec"]["nprocPerNode"]))}
        assert {fact for fact in lost if not is_set_by_variables(fact)} == set()


def test_the_page_is_up_to_date() -> None:
    assert FOLDER is not None
    if not imports.is_complete(FOLDER):
        pytest.skip("the public jobs that are here lack files that docs/import.md lists")
    page = imports.PAGE.read_text("utf-8")
    there = imports.tables(imports.listed_files(FOLDER))
    assert imports.BLOCK.sub(lambda block: f"{block[1]}\n{there}\n{block[2]}", page) == page
