"""T9k's public jobs, imported and compiled: each is translated or gets the expected error."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import trainc
from tests.support.command import trainc as command
from tests.support.examples import canonical_json, compiled
from tests.support.facts import corpus_folder, job_facts, manifest_facts
from tests.support.foreign_jobs import compile_text, invalid_variants
from tools import imports

# The basic job of T9k's manual, with shared memory and environment of the same page, in the API's fields.
MANUAL = """\
apiVersion: batch.tensorstack.dev/v1beta1
kind: DeepSpeedJob
metadata: {name: deepspeed-example}
spec:
  config: {slotsPerWorker: 1, run: {python: [/t9k/mnt/train.py]}}
  worker:
    replicas: 4
    restartPolicy: OnFailure
    template:
      spec:
        containers:
        - image: deepspeed/deepspeed:v072_torch112_cu117
          imagePullPolicy: IfNotPresent
          name: worker
          resources:
            limits: {cpu: 4, memory: 4Gi}
            requests: {cpu: 2, memory: 2Gi}
          env:
          - {name: ENV_DIRECT, value: env-value}
          - name: ENV_REFERENCED
            valueFrom: {secretKeyRef: {name: secret-name, key: key-in-secret}}
          volumeMounts:
          - {mountPath: /t9k/mnt, name: code}
          - {mountPath: /dev/shm, name: dshm}
        volumes:
        - {name: code, persistentVolumeClaim: {claimName: deepspeed}}
        - {name: dshm, emptyDir: {medium: Memory, sizeLimit: 1Gi}}
"""
# The same job with the mistakes of that page.
SLOPPY = (
    MANUAL.replace("DeepSpeedJob", "DeepspeedJob")
    .replace("slotsPerWorker", "slotPerWorker")
    .replace("[/t9k/mnt/train.py]", "/t9k/mnt/train.py")
    .replace(
        "    restartPolicy: OnFailure\n    template:\n      spec:",
        "    template:\n      spec:\n        restartPolicy: OnFailure",
    )
)
EXAMPLES = {
    "real-deepspeedjob-gpt": "deepspeed__megatron-gpt__training__gpt-1-3b-4xdp-4xpp.yaml",
    "real-deepspeedjob-rlhf": "deepspeed__chat__rlhf__rlhf-multi-node.yaml",
}
# Jobs that trainc rejects.
REFUSED = {
    "t9k__tutorial-examples__job__pytorchtrainingjob__ps__job.yaml": ["TC5005"],
    "t9k__tutorial-examples__job__pytorchtrainingjob__ps__job_cpu.yaml": ["TC5005"],
}


FOLDER = corpus_folder()
# Files that docs/import.md lists.
KINDS = ("deepspeedjob", "pytorchtrainingjob")
FILES = [file for kind in KINDS for file in (imports.listed_files(FOLDER)[kind] if FOLDER else ())]


@pytest.mark.parametrize("text", [MANUAL, SLOPPY], ids=["correct", "sloppy"])
@pytest.mark.parametrize("backend", ["job", "statefulset", "pods"])
def test_the_manuals_job_compiles_to_the_manual_translation(text: str, backend: str) -> None:
    result = trainc.compile(text, backend=backend)
    assert result.ok
    assert canonical_json(list(result.objects())) == canonical_json(
        list(compiled("real-deepspeedjob-t9k", backend).objects())
    )


def test_each_mistake_in_the_manuals_job_is_corrected(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(SLOPPY)
    done = command("import", file)
    assert done.code == 0
    for right in (
        "the kind is spelled `DeepSpeedJob`",
        "slotsPerWorker",
        "[/t9k/mnt/train.py]",
        "spec.worker.restartPolicy",
    ):
        assert right in done.err
    assert "run: {python: [/t9k/mnt/train.py]}" in done.out
    assert "corrected: 3" in done.err
    again = trainc.compile(done.out)
    assert again.ok
    assert canonical_json(list(again.objects())) == canonical_json(list(trainc.compile(MANUAL).objects()))


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_original_compiles_to_the_manual_translation(example: str) -> None:
    folder = corpus_folder()
    if folder is None:
        pytest.skip("there are no originals: no ../shared/corpus, and TRAINC_CORPUS names no folder")
    result = trainc.compile((folder / "deepspeedjob" / f"t9k__examples__{EXAMPLES[example]}").read_bytes())
    assert result.ok
    assert canonical_json(list(result.objects())) == canonical_json(list(compiled(example, "job").objects()))


def test_the_corpus_has_jobs_of_both_kinds() -> None:
    if corpus_folder() is None:
        pytest.skip("there are no originals: no ../shared/corpus, and TRAINC_CORPUS names no folder")
    assert {file.parent.name for file in FILES} == set(KINDS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_original_is_translated_or_gets_the_expected_error(file: Path, tmp_path: Path) -> None:
    result = trainc.compile(file.read_bytes(), filename=file.name)
    errors = [each.code.id for each in result.diagnostics if each.severity == "error"]
    assert errors == REFUSED.get(file.name, [])
    if errors:
        return
    # The job file is the same job, without new diagnostics.
    output = tmp_path / "job.yaml"
    assert command("import", file, "-o", output).code == 0
    again = trainc.compile(output.read_bytes())
    assert [each.code.id for each in again.diagnostics if each.severity == "error"] == errors
    assert canonical_json(list(again.objects())) == canonical_json(list(result.objects()))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_compiled_job_has_every_fact_of_the_original(file: Path) -> None:
    result = trainc.compile(file.read_bytes(), filename=file.name)
    if not result.ok:
        pytest.skip("refused, as the test above expects")
    original = yaml.safe_load(file.read_text("utf-8"))
    diagnostics, words = job_facts(original)
    ours, our_words = manifest_facts(result.objects())
    waits = "runMode" in original["spec"]  # idle pods have no processes
    lost = {fact for fact in diagnostics - ours if not (waits and fact[0] == "processes")}
    # trainc's own interpreter, and a port that it writes as one argument.
    assert lost <= {("argument", "python"), ("argument", "--master_port"), ("argument", "12346")}
    rest = iter(our_words)
    assert [word for word in words if ("argument", word) not in lost and word not in rest] == []


# Every field of both kinds.
FULL = {
    "DeepSpeedJob": """
  disableCustomEnv: true
  scheduler: {t9kScheduler: {queue: default, priority: 50}}
  runPolicy: {activeDeadlineSeconds: 3600, backoffLimit: 5, cleanUpPolicy: Unfinished}
  elastic: {enabled: true, minReplicas: 2, maxReplicas: 8, expectedReplicas: 3}
  runMode:
    debug: {enabled: false, replicaSpecs: [{type: worker, skipInitContainer: true, command: [sleep]}]}
    pause: {enabled: true, resumeSpecs: [{type: worker, command: [sshd], args: [-D]}]}
  config:
    slotsPerWorker: 2
    localRank: false
    autotune: none
    run: {module: [pkg.train, --x]}
    otherArgs: [--launcher, pdsh, --bind_cores_to_rank, --master_port=1234]
  worker: {replicas: 4, restartPolicy: ExitCode, template: {spec: {containers: [{name: worker, image: "i:1"}]}}}
""",
    "PyTorchTrainingJob": """
  tensorboardSpec: {image: "tb:1"}
  elastic: {enabled: true, minReplicas: 1, maxReplicas: 8, expectedReplicas: 3}
  runPolicy: {backoffLimit: 5}
  runMode:
    debug: {enabled: true, replicaSpecs: [{type: worker, command: [sleep]}]}
    pause: {enabled: false, resumeSpecs: [{type: worker, command: [python], args: [x.py]}]}
  torchrunConfig:
    {enabled: true, maxRestarts: 3, procPerNode: "2", rdzvBackend: c10d, extraOptions: [--tee=3]}
  replicaSpecs:
  - type: master
    template: {spec: {containers: [{name: pytorch, image: "i:1", args: [x.py]}]}}
  - type: worker
    replicas: 3
    scalingWeight: 1
    restartPolicy: Always
    template: {spec: {restartPolicy: Never, containers: [{name: pytorch, image: "i:1", args: [x.py]}]}}
""",
}


@pytest.mark.parametrize("kind", FULL)
def test_wrong_values_of_any_field_give_diagnostics(kind: str) -> None:
    head = f"apiVersion: batch.tensorstack.dev/v1beta1\nkind: {kind}\nmetadata: {{name: j}}\nspec:"
    tree = yaml.safe_load(head + FULL[kind])
    assert compile_text(head + FULL[kind]).ok
    for path, _, text in invalid_variants(tree):
        result = compile_text(text)
        assert result.ok or result.diagnostics, path
        assert all(each.span.source.name == "job.yaml" for each in result.diagnostics)
