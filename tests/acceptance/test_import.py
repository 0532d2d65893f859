"""`trainc import`: job files, summaries, and equality with the original after compilation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import JOB, fail, succeed, trainc
from tests.support.files import assert_snapshot
from tests.support.foreign_jobs import compile_text, invalid_variants, manifest_texts
from trainc.compiled import Outcome
from trainc.source.load import load
from trainc.source.node import plain
from trainc.span import Source
from trainc.systems.registry import NAMES as BACKENDS

FOLDER = Path(__file__).with_name("imported")
JOBS = sorted(file for file in FOLDER.glob("*.yaml") if not file.name.endswith(".job.yaml"))
SMALL = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: mnist}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: pytorch, image: "e/x:1", command: [python, train.py]}]}}
"""


@pytest.mark.parametrize("file", JOBS, ids=lambda file: file.stem)
def test_job_files_and_summaries_equal_the_snapshots(
    file: Path, monkeypatch: pytest.MonkeyPatch, update_golden: bool
) -> None:
    monkeypatch.chdir(FOLDER)
    done = succeed("import", file.name)
    for suffix, text in ((".job.yaml", done.out), (".listed", done.err)):
        assert_snapshot(file.with_suffix(suffix), text, update=update_golden, test=__file__)


def test_every_snapshot_belongs_to_a_job() -> None:
    names = {file.name for file in FOLDER.iterdir()}
    assert names == {f"{file.stem}{suffix}" for file in JOBS for suffix in (".yaml", ".job.yaml", ".listed")}


def job_codes(outcome: Outcome) -> set[str]:
    """Return the codes of diagnostics about the job.

    Without TC4003, which is about the operator of the original, and TC3220, which manifests get from 4 workers on.
    """
    codes = {diagnostic.code.id for diagnostic in outcome.diagnostics if diagnostic.code.id < "TC5"}
    return codes - {"TC4003", "TC3220"}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("file", JOBS, ids=lambda file: file.stem)
def test_an_imported_job_compiles_to_what_the_original_compiles_to(file: Path, backend: str) -> None:
    original, imported = (
        compile_text(source.read_text("utf-8"), backend) for source in (file, file.with_suffix(".job.yaml"))
    )
    assert job_codes(original) == job_codes(imported)
    assert manifest_texts(original) == manifest_texts(imported)


def test_import_reads_standard_input_and_writes_a_file(tmp_path: Path) -> None:
    output = tmp_path / "job.yaml"
    done = trainc("import", "-", "-o", output, stdin=SMALL)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("8 values: 8 carried over, 0 changed, 0 not carried over\ndifferences: 9\n")
    assert "  <stdin>:8:38: variable `PET_NPROC_PER_NODE`: `1` instead of `auto`\n" in done.err
    assert done.err.endswith("\nnot carried over: nothing\n")
    assert output.read_text() == trainc("import", "-", stdin=SMALL).out
    assert trainc("check", output).code == 0


def test_fields_set_by_the_server_are_not_counted() -> None:
    inner = SMALL.replace("{name: mnist}", "{name: mnist, uid: x, generation: 3}") + "status: {a: b}\n"
    items = "".join(f"  {line}\n" for line in inner.splitlines()).lstrip()
    done = trainc(
        "import", "-", stdin=f"apiVersion: v1\nkind: List\nmetadata: {{resourceVersion: ''}}\nitems:\n- {items}"
    )
    assert done.err.startswith("8 values: 8 carried over, 0 changed, 0 not carried over\n")


def test_schema_errors_name_the_original_fields() -> None:
    text = SMALL.replace("image: ", "resources: {limits: {memory: 4 GB}}, image: ")
    path = "`spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].resources.limits.memory` is not a Kubernetes"
    for command in (["import"], ["check"], ["compile"], ["compile", "--set", "spec.workers=3"]):
        assert path in trainc(*command, "-", stdin=text).err
    overridden = trainc("check", "-", "--set", "spec.resources.memory=4 GB", stdin=SMALL)
    assert "`spec.resources.memory` is not a Kubernetes" in overridden.err


def test_a_difference_between_roles_is_a_comment_above_the_field() -> None:
    worker = 'image: "e/x:1", command: [python, train.py]'
    pods = [
        SMALL[SMALL.index("template:") :].replace(worker, f"{worker}, resources: {{limits: {{memory: {size}}}}}")
        for size in ("64Gi", "16Gi")
    ]
    text = SMALL[: SMALL.index("template:")] + pods[1] + f"    Master:\n      {pods[0]}"
    done = trainc("import", "-", stdin=text)
    comment, _, field = done.out.partition("# TC3045: ")[2].partition("memory: 16Gi")
    assert "is 64Gi for the Master and 16Gi for the Worker" in comment.replace("\n    #  ", "")
    assert field
    assert all(line.lstrip().startswith("#") or not line.strip() for line in comment.splitlines()[1:])
    # 4 values of the job, 5 of each pod
    assert done.err.startswith(
        "14 values: 13 carried over, 0 changed, 1 not carried over\n"
    )  # 4 of the job, 5 of each pod
    for command in (("check", "--backend", "job"), ("compile",)):
        done = succeed(*command, "-", stdin=text)
        assert "warning[TC3045]" in done.err
        assert "- the Worker's" in done.err


def test_compile_and_check_read_foreign_jobs() -> None:
    assert "kind: Job\n" in succeed("compile", "-", stdin=SMALL).out
    assert trainc("check", "-", stdin=SMALL).code == 0


def test_overrides_set_fields_of_the_translated_job() -> None:
    assert "completions: 5\n" in succeed("compile", "-", "--set", "spec.workers=5", stdin=SMALL).out


def test_all_jobs_of_a_file_are_imported() -> None:
    done = succeed(
        "import", "-", stdin=f"{SMALL}---\n{SMALL.replace('mnist', 'other')}---\n{JOB.replace('mnist', 'c')}"
    )
    names = [plain(node)["metadata"]["name"] for node in load(Source("out", done.out))[0]]
    assert names == ["mnist", "other", "c"]


@pytest.mark.parametrize("stdin", ["", "kind: Deployment\napiVersion: apps/v1\n", SMALL.replace("2", "two"), "{"])
def test_import_writes_nothing_after_an_error(stdin: str, tmp_path: Path) -> None:
    output = tmp_path / "job.yaml"
    assert fail("import", "-", "-o", output, stdin=stdin).endswith("nothing was written\n")
    assert not output.exists()


def test_input_text_cannot_end_a_comment() -> None:
    text = SMALL.replace("replicas: 2", 'replicas: 2\n      "a\\nkind: Pod\\u2028b": 1')
    done = succeed("import", "-", stdin=text)
    assert all(line.startswith("#") for line in done.out.partition("apiVersion")[0].splitlines())
    [document] = load(Source("out", done.out))[0]
    assert plain(document)["kind"] == "TrainingJob"


@pytest.mark.sample(1)
@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("file", JOBS, ids=lambda file: file.stem)
def test_invalid_values_of_any_field_give_a_job_or_diagnostics(file: Path, part: int) -> None:
    # 25 and the number of values have no common divisor: all values occur.
    for document in load(Source(file.name, file.read_text("utf-8")))[0]:
        for path, value, text in invalid_variants(plain(document), 5 * part, 25):
            result = compile_text(text)
            assert result.jobs or result.diagnostics, (path, value)


def test_deep_nesting_gives_diagnostics() -> None:
    deep: object = "x"
    for _ in range(400):
        deep = {"a": [deep]}
    text = json.dumps(plain(load(Source("job.yaml", SMALL))[0][0])).replace('"e/x:1"', json.dumps(deep))
    assert not compile_text(text).ok


@pytest.mark.parametrize("options", ["x.yaml -b pods", "-b pods x.yaml", "x.yaml --backend=pods -o y", "-bpods x.yaml"])
def test_import_has_no_back_end(options: str) -> None:
    err = fail("import", *options.split(), code=2)
    assert "Invalid value for --backend: import writes a job file" in err
    assert "`trainc compile FILE --backend pods`" in err
