"""Round trip: operators' jobs that trainc emits are imported as jobs that compile to the same objects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.command import succeed, trainc
from tests.support.volume_order import comparable
from trainc.cli.exit_codes import OK

ROOT = Path(__file__).resolve().parents[2]
# Systems whose jobs differ least: each example is tested with one of them.
ALTERNATING = ("jobset", "trainjob", "pytorchjob", "vcjob", "elasticjob")
# Files of a job are next to its job file, shell scripts around mpirun stay as they are, other objects are applied
# separately, and ElasticJob's options have other spellings (nprocPerNode `gpu` becomes a number). The port of an
# ElasticJob's endpoint and the folder that trainc creates for a path are not read. A ComputeDomain is one of the
# objects that are applied separately.
OTHERS = ("files", "mpi", "objects", "torchrun-options", "real-tlaunch-torchrun", "nvlink-domain")


def goldens() -> Iterator[Path]:
    for number, folder in enumerate(sorted((ROOT / "golden").iterdir())):
        emitted = [name for name in ALTERNATING if (folder / f"{name}.yaml").exists()]
        systems = [*emitted[number % len(emitted) :][:1]] if emitted else []
        yield from (folder / f"{name}.yaml" for name in (*systems, "mpijob", "deepspeedjob"))


GOLDENS = [golden for golden in goldens() if golden.exists()]


def objects(text: str) -> list[object]:
    return sorted(yaml.safe_load_all(text), key=lambda each: (each["kind"], each["metadata"]["name"]))


@pytest.mark.sample(8)
@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: f"{golden.parent.name}-{golden.stem}")
def test_an_imported_golden_compiles_to_the_same_objects(golden: Path) -> None:
    compiled = succeed("compile", "-", "--backend", golden.stem, stdin=succeed("import", golden).out)
    if golden.parent.name not in OTHERS:
        name, expected = golden.parent.name, objects(golden.read_text("utf-8"))
        assert comparable(objects(compiled.out), name) == comparable(expected, name)


# Examples that operator 1.5 of ctyun.cn/v1 can run: it pauses no job, and next to a Master it numbers only the pods.
DIALECT = ("--backend", "pytorchjob", "--target", "pytorchjob=ctyun.cn/v1")
WITHOUT_DIALECT = ("paused", "paused-changes", "real-pytorchjob-mlbatch")
EXAMPLES = [
    ROOT / "examples" / f"{folder.name}.yaml"
    for folder in sorted((ROOT / "golden").iterdir())
    if (folder / "pytorchjob.yaml").exists() and folder.name not in WITHOUT_DIALECT
]


@pytest.mark.sample(3)
@pytest.mark.parametrize("example", [each for each in EXAMPLES if each.exists()], ids=lambda example: example.stem)
def test_an_example_of_the_other_dialect_is_valid_and_compiles_to_the_same_objects(
    example: Path, tmp_path: Path
) -> None:
    emitted = succeed("compile", example, *DIALECT)
    (tmp_path / "job.yaml").write_text(emitted.out, "utf-8")
    succeed("check", tmp_path / "job.yaml")
    imported = trainc("import", tmp_path / "job.yaml")
    compiled = trainc("compile", "-", *DIALECT, stdin=imported.out)
    assert (imported.code, compiled.code) == (OK, OK), compiled.err
    if example.stem not in OTHERS:
        assert comparable(objects(compiled.out), example.stem) == comparable(objects(emitted.out), example.stem)


@pytest.mark.parametrize(
    ("value", "changed"), [("train.py", "other.py"), ("mountPath", "subPath"), ('gpu: "8"', 'gpu: "4"')]
)
def test_a_changed_golden_compiles_to_other_objects(value: str, changed: str) -> None:
    text = (ROOT / "golden" / "torchrun" / "pytorchjob.yaml").read_text("utf-8")
    assert value in text
    imported = trainc("import", "-", stdin=text.replace(value, changed))
    compiled = (
        trainc("compile", "-", "--backend", "pytorchjob", stdin=imported.out) if imported.code == OK else imported
    )
    assert compiled.out != text


DEBUG = """
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata: {name: debug}
spec:
  image: example.com/train:1
  mode: MODE
  launch: {LAUNCH}
  run: {python: [train.py, "it's $(POD_NAME) $HOME a'$(POD_NAME)'", "$$(POD_NAME)", "'", ""]}
  workers: 2
  resources: {gpu: 2}
  env: {POD_NAME: {valueFrom: {fieldRef: {fieldPath: metadata.name}}}}
"""


@pytest.mark.sample(8)
@pytest.mark.parametrize("mode", ["debug", "{debug: {command: [sleep, '1 h']}}"])
@pytest.mark.parametrize(
    ("launch", "system"),
    [
        *(("torchrun: {}", system) for system in ALTERNATING),
        *(("basic: {}", system) for system in ("jobset", "pytorchjob", "mpijob", "job")),
        *(("deepspeed: {}", system) for system in ("trainjob", "vcjob", "elasticjob")),
        ("mpirun: {}", "mpijob"),
    ],
)
def test_debug_mode_and_its_program_are_preserved(launch: str, system: str, mode: str) -> None:
    text = DEBUG.replace("LAUNCH", launch).replace("MODE", mode)
    compiled = trainc("compile", "-", "--backend", system, stdin=text)
    imported = trainc("import", "-", stdin=compiled.out)
    again = trainc("compile", "-", "--backend", system, stdin=imported.out)
    assert (compiled.code, objects(again.out)) == (OK, objects(compiled.out))
    assert "mode:" in imported.out


@pytest.mark.parametrize("system", ["jobset", "elasticjob", "mpijob"])
def test_debug_mode_with_sshd_is_preserved(system: str) -> None:
    text = DEBUG.replace("LAUNCH", "deepspeed: {transport: ssh, sshSecret: keys}").replace("MODE", "debug")
    compiled = trainc("compile", "-", "--backend", system, stdin=text)
    imported = trainc("import", "-", stdin=compiled.out)
    assert (compiled.code, "  mode: debug\n" in imported.out) == (OK, True)
    assert "not carried over: nothing" in imported.err


def test_a_debug_command_that_trainc_cannot_read_is_reported() -> None:
    launch = "deepspeed: {transport: ssh, sshSecret: keys}"
    text = DEBUG.replace("LAUNCH", launch).replace("MODE", "{debug: {command: [sleep, infinity]}}")
    imported = trainc("import", "-", stdin=trainc("compile", "-", "--backend", "jobset", stdin=text).out)
    assert "debug-command']` is not carried over: trainc can't read the program of `mode: debug`" in imported.err


def test_an_account_of_what_trainc_had_added() -> None:
    imported = trainc("import", ROOT / "golden" / "torchrun" / "pytorchjob.yaml")
    assert "what trainc has added is left out, such as its labels: `trainc compile` adds it again" in imported.err
    assert "not carried over: nothing" in imported.err
