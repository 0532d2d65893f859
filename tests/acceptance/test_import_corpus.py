"""Public jobs of other systems: each is translated without loss, or is rejected with the expected error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import trainc
from tests.support.facts import Fact, corpus_folder, job_facts, manifest_facts
from tests.support.foreign_jobs import compile_text, manifest_texts
from tests.support.requirements import public_jobs
from tools import imports
from trainc.cli.exit_codes import OK, WRONG_INPUT

FOLDER = corpus_folder()
# Files that docs/import.md lists.
FILES = [file for value in imports.listed_files(FOLDER).values() for file in value] if FOLDER else []
# Another kind of manifest, a variable in place of a path or number, another system, and roles with different programs.
EXPECTED_ERRORS = ("error[TC2001]", "error[TC2005]", "error[TC5003]", "error[TC5015]", "error[TC5005]")
every_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name[-60:])


@pytest.fixture(autouse=True)
def _require_corpus() -> None:
    public_jobs()


def test_the_corpus_has_jobs_of_every_kind() -> None:
    # No public Volcano Jobs were found; RayJobs are read since the corpus was collected.
    assert {file.parent.name for file in FILES} == set(imports.kinds()) - {"vcjob", "rayjob"}


@pytest.mark.sample(12)
@every_file
def test_a_public_job_is_translated_or_has_the_expected_error(file: Path) -> None:
    done = trainc("import", file)
    text = file.read_text("utf-8")
    if ("{{" in text and "kind: Workflow" not in text) or imports.read(file).is_template:
        assert done.code == WRONG_INPUT
        assert done.err.count("error[") == 1
        assert "error[TC5004]: unrendered template: " in done.err
    else:
        assert done.code == OK or any(code in done.err for code in EXPECTED_ERRORS)


@pytest.mark.sample(12)
@every_file
def test_an_imported_job_compiles_to_what_the_original_compiles_to(file: Path) -> None:
    text = imports.fill(file.read_text("utf-8"))
    done = trainc("import", "-", stdin=text)
    if done.code != OK:
        assert any(code in done.err for code in (*EXPECTED_ERRORS, "error[TC5004]"))
        return
    for backend in ("job", "statefulset"):
        original, imported = compile_text(text, backend), compile_text(done.out, backend)
        assert original.ok == imported.ok
        assert manifest_texts(original) == manifest_texts(imported)


def pytorchjobs(text: str) -> list[dict[str, Any]]:
    """Return the PyTorchJobs of a text, parsed without trainc."""
    try:
        documents = list(yaml.safe_load_all(text))
    except yaml.YAMLError:
        return []
    return [document for document in documents if document and document.get("kind") == "PyTorchJob"]


@pytest.mark.sample(25)
@every_file
def test_autoscalers_without_a_request_scale_nothing(file: Path) -> None:
    """The job then has its replicas, and the launcher's fixed number of nodes contradicts nothing but these."""
    text = imports.fill(file.read_text("utf-8"))
    for job in pytorchjobs(text):
        policy, worker = job["spec"].get("elasticPolicy") or {}, job["spec"]["pytorchReplicaSpecs"]["Worker"]
        container = worker["template"]["spec"]["containers"][0]
        command = " ".join([*container.get("command", []), *container.get("args", [])])
        resources = container.get("resources", {})
        quantities = {**resources.get("requests", {}), **resources.get("limits", {})}
        codes = imports.job_errors(text)
        assert "TC3062" not in codes  # no public job has an autoscaler that works
        assert ("TC4003" in codes) == (bool(policy.get("metrics")) and "cpu" not in quantities)
        for compiled in compile_text(text).jobs:
            has_master = "Master" in job["spec"]["pytorchReplicaSpecs"]
            assert compiled.job.replicas.initial == worker.get("replicas", 1) + has_master
        own = re.search(r"torchrun.* --nnodes[= ]([0-9]+)", command)
        assert ("TC3061" in codes) == bool(policy and own and int(own[1]) != worker["replicas"])


def is_replaced_by_variables(fact: Fact) -> bool:
    """Return whether trainc's variables replace an argument, or equal bounds a range."""
    if fact[0] == "argument":
        return fact[1].endswith("/torchrun") or fact[1].partition("=")[0] in (
            *("--nnodes", "--nproc_per_node", "--node_rank", "--master_addr", "--master_port", "--rdzv_backend"),
            *("python", "-m", "torch.distributed.run"),
        )
    # The launcher of the jobs with 1:64 has a number of nodes of its own.
    return fact[:2] in (("env", "PET_NNODES"), ("env", "PET_MAX_RESTARTS")) and fact[2] in ('"2:2"', '"1:64"', '"0"')


@pytest.mark.sample(12)
@every_file
def test_a_compiled_job_has_every_fact_of_the_original(file: Path) -> None:
    text = imports.fill(file.read_text("utf-8"))
    result = compile_text(text)
    for job in pytorchjobs(text) if result.ok else ():
        for role in job["spec"]["pytorchReplicaSpecs"].values():
            role.setdefault("replicas", 1)
        job["spec"].setdefault("elasticPolicy", {}).setdefault("rdzvHost", "")
        if not job["spec"]["elasticPolicy"]["rdzvHost"]:
            del job["spec"]["elasticPolicy"]  # trainc's name of worker 0 differs
        objects = [manifest.data() for compiled in result.jobs for manifest in compiled.manifests()]
        missing = job_facts(job)[0] - manifest_facts(objects)[0] - {("processes", "1")}
        if "spec.nprocPerNode" in imports.read(file).dropped:
            missing -= {("processes", str(job["spec"]["nprocPerNode"]))}
        assert {fact for fact in missing if not is_replaced_by_variables(fact)} == set()


@pytest.mark.slow  # `make check` compares the page, too
def test_the_page_is_up_to_date() -> None:
    assert FOLDER is not None
    if not imports.is_complete(FOLDER):
        pytest.skip("public jobs that docs/import.md lists are missing")
    page = imports.PAGE.read_text("utf-8")
    tables = imports.tables(imports.listed_files(FOLDER))
    assert imports.BLOCK.sub(lambda block: f"{block[1]}\n{tables}\n{block[2]}", page) == page
