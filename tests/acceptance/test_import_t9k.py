"""T9k's public jobs, imported and compiled: each is translated or has the expected errors."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import trainc
from tests.support.command import succeed
from tests.support.command import trainc as run_command
from tests.support.examples import canonical_json, compiled
from tests.support.facts import corpus_folder, is_subsequence, job_facts, manifest_facts
from tests.support.files import write
from tests.support.foreign_jobs import compile_text, invalid_variants
from tests.support.requirements import public_jobs
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
MANUAL_WITH_MISTAKES = (
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
# Errors of the jobs that trainc rejects.
EXPECTED_ERRORS = {
    "t9k__tutorial-examples__job__pytorchtrainingjob__ps__job.yaml": ["TC5005"],
    "t9k__tutorial-examples__job__pytorchtrainingjob__ps__job_cpu.yaml": ["TC5005"],
}

FOLDER = corpus_folder()
# Files that docs/import.md lists.
KINDS = ("deepspeedjob", "pytorchtrainingjob")
FILES = [file for kind in KINDS for file in (imports.listed_files(FOLDER)[kind] if FOLDER else ())]


@pytest.mark.parametrize("text", [MANUAL, MANUAL_WITH_MISTAKES], ids=["correct", "with-mistakes"])
@pytest.mark.parametrize("backend", ["job", "statefulset", "pods"])
def test_the_job_of_the_manual_compiles_to_its_manual_translation(text: str, backend: str) -> None:
    result = trainc.compile(text, backend=backend)
    assert result.ok
    assert canonical_json(list(result.objects())) == canonical_json(
        list(compiled("real-deepspeedjob-t9k", backend).objects())
    )


def test_each_mistake_in_the_job_of_the_manual_is_corrected(tmp_path: Path) -> None:
    file = write(tmp_path / "job.yaml", MANUAL_WITH_MISTAKES)
    done = succeed("import", file)
    for correction in (
        "the kind is spelled `DeepSpeedJob`",
        "slotsPerWorker",
        "[/t9k/mnt/train.py]",
        "spec.worker.restartPolicy",
    ):
        assert correction in done.err
    assert "run: {python: [/t9k/mnt/train.py]}" in done.out
    assert "corrected: 3" in done.err
    imported = trainc.compile(done.out)
    assert imported.ok
    assert canonical_json(list(imported.objects())) == canonical_json(list(trainc.compile(MANUAL).objects()))


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_public_job_compiles_to_its_manual_translation(example: str) -> None:
    result = trainc.compile((public_jobs() / "deepspeedjob" / f"t9k__examples__{EXAMPLES[example]}").read_bytes())
    assert result.ok
    assert canonical_json(list(result.objects())) == canonical_json(list(compiled(example, "job").objects()))


def test_the_corpus_has_jobs_of_both_kinds() -> None:
    public_jobs()
    assert {file.parent.name for file in FILES} == set(KINDS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_public_job_has_the_expected_errors(file: Path) -> None:
    result = trainc.compile(file.read_bytes(), filename=file.name)
    errors = [diagnostic.code.id for diagnostic in result.diagnostics if diagnostic.severity == "error"]
    assert errors == EXPECTED_ERRORS.get(file.name, [])


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.name not in EXPECTED_ERRORS], ids=lambda file: file.stem
)
def test_a_compiled_job_has_every_fact_of_the_original(file: Path) -> None:
    result = trainc.compile(file.read_bytes(), filename=file.name)
    original = yaml.safe_load(file.read_text("utf-8"))
    original_facts, original_arguments = job_facts(original)
    facts, arguments = manifest_facts(result.objects())
    is_idle = "runMode" in original["spec"]  # idle pods have no processes
    missing = {fact for fact in original_facts - facts if not (is_idle and fact[0] == "processes")}
    # trainc's own interpreter, and a port that it emits as one argument.
    assert missing <= {("argument", "python"), ("argument", "--master_port"), ("argument", "12346")}
    preserved = [argument for argument in original_arguments if ("argument", argument) not in missing]
    assert is_subsequence(preserved, arguments)


# Every field of both kinds.
FULL = {
    "DeepSpeedJob": """
  disableCustomEnv: true
  scheduler: {t9kScheduler: {queue: default, priority: 50}}
  runPolicy: {activeDeadlineSeconds: 3600, backoffLimit: 5, cleanUpPolicy: Unfinished}
  elastic: {enabled: true, minReplicas: 3, maxReplicas: 3, expectedReplicas: 3}
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


@pytest.mark.sample(1)
@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("kind", FULL)
def test_invalid_values_of_any_field_give_a_job_or_diagnostics(kind: str, part: int) -> None:
    head = f"apiVersion: batch.tensorstack.dev/v1beta1\nkind: {kind}\nmetadata: {{name: j}}\nspec:"
    tree = yaml.safe_load(head + FULL[kind])
    assert compile_text(head + FULL[kind]).ok
    for path, _, text in invalid_variants(tree, part, 5):
        result = compile_text(text)
        assert result.ok or result.diagnostics, path
        assert all(each.span.source.name == "job.yaml" for each in result.diagnostics)


# After https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md#暂停模式, for a job that runs.
RUNNING = """\
apiVersion: batch.tensorstack.dev/v1beta1
kind: DeepSpeedJob
metadata: {name: mnist}
spec:
  config: {slotsPerWorker: 8, run: {python: [/t9k/mnt/train.py]}}
  runMode:
    pause:
      enabled: false
      resumeSpecs:
      - {type: worker, skipInitContainer: true, command: [/usr/bin/sshd]}
  worker:
    replicas: 4
    template:
      spec:
        initContainers: [{name: copy, image: "busybox:1"}]
        containers:
        - name: worker
          image: deepspeed:1
          command: [sh, -c]
          args: ["ulimit -l unlimited; exec /usr/sbin/sshd -D"]
          resources: {limits: {nvidia.com/gpu: 8}}
"""


def test_a_deepspeedjob_keeps_its_command_and_what_changes_after_a_later_pause() -> None:
    done = run_command("import", "-", stdin=RUNNING)
    assert "\nnot carried over: nothing\n" in done.err
    again = yaml.safe_load(run_command("compile", "-", "-b", "deepspeedjob", stdin=done.out).out)["spec"]
    assert again["runMode"] == yaml.safe_load(RUNNING)["spec"]["runMode"]
    pod = again["worker"]["template"]["spec"]
    assert pod["containers"][0]["command"] == ["sh", "-c", "ulimit -l unlimited; exec /usr/sbin/sshd -D"]
    assert [each["name"] for each in pod["initContainers"]] == ["copy"]
    *_, job = yaml.safe_load_all(run_command("compile", "-", stdin=done.out).out)
    job = job["spec"]["template"]["spec"]
    assert [each["name"] for each in job["initContainers"]] == ["copy"]
    assert "ulimit" not in str(job["containers"])
