"""Fixes of the jobs in bad/ and own_system/: what each of them edits, and that its finding is gone."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tests.support.command import trainc
from tests.support.corpus import BAD, OWN_SYSTEM
from tests.support.files import write
from tests.support.fixes import diagnose_with_fixes, offered
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.remedy import Fix
from trainc.pages import all_codes, page
from trainc.schema.edits import apply_edits
from trainc.span import Source

FILES = [*BAD, *OWN_SYSTEM]


def keys(diagnostics: list[Diagnostic]) -> Counter[tuple[str, str]]:
    return Counter((diagnostic.code.id, diagnostic.message) for diagnostic in diagnostics)


@pytest.mark.sample(60)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_fix_of_a_rule_cures_its_finding_and_changes_only_its_lines(file: Path) -> None:
    source, diagnostics = offered(file)
    for diagnostic in diagnostics:
        if diagnostic.remedy is None or diagnostic.fix is None:
            continue
        edited = Source(source.name, apply_edits(source, list(diagnostic.fix.edits)))
        after = diagnose_with_fixes(edited, file)
        assert keys(after) <= keys(diagnostics) - keys([diagnostic])
        assert lines_beside(diagnostic.fix, source) <= Counter(edited.text.splitlines())
        again = [each.fix for each in after if each.remedy and keys([each]) == keys([diagnostic])]
        assert len(again) < sum(keys([each]) == keys([diagnostic]) for each in diagnostics)


def lines_beside(fix: Fix, source: Source) -> Counter[str]:
    """Return the lines that no edit names."""
    named = {
        line for edit in fix.edits for line in range(edit.span.line, edit.span.end_line + (edit.span.end_column > 1))
    }
    return Counter(line for number, line in enumerate(source.text.splitlines(), 1) if number not in named)


@pytest.mark.slow
def test_pages_name_the_fixes() -> None:
    """A page says `--fix` if a job of its code has a fix, and `--unsafe-fixes` if one has an unsafe fix."""
    fixes = defaultdict[str, set[bool]](set)
    for file in FILES:
        for diagnostic in offered(file)[1]:
            fixes[diagnostic.code.id] |= {diagnostic.fix.is_safe} if diagnostic.fix else set()
    texts = {code.id: page(code).why for code in all_codes()}
    assert {id for id, text in texts.items() if "check --fix" in text} == {id for id in fixes if fixes[id]}
    assert {id for id, text in texts.items() if "--unsafe-fixes" in text} == {id for id in fixes if False in fixes[id]}


HEAD = "apiVersion: trainc.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: mnist}\nspec:\n  image: train:1\n"
TORCHRUN = HEAD + "  launch: {torchrun: {}}\n  run: {python: [train.py]}\n  workers: 2\n"
OWN = HEAD + "  launch: {torchrun: {wrap: false}}\n  workers: 2\n"

# name: (text, the same after --fix --unsafe-fixes)
EDITS = {
    "the only variable in a block": (
        TORCHRUN + "  env:\n    RANK: '0'  # by hand\n  # last\n",
        TORCHRUN + "  env: {}  # by hand\n  # last\n",
    ),
    "the only variables": (
        TORCHRUN + "  env:\n    RANK: '0'\n    WORLD_SIZE: '2'\n  # last\n  resources: {gpu: 1}\n",
        TORCHRUN + "  # last\n  resources: {gpu: 1}\n",
    ),
    "the only variable in flow style": (
        TORCHRUN + "  env: [{name: RANK, value: '0'}]\n  resources: {gpu: 1}  # kept\n",
        TORCHRUN + "  resources: {gpu: 1}  # kept\n",
    ),
    "the first of several": (
        TORCHRUN + "  env:\n    # mine\n    RANK: '0'\n    A: b  # kept\n",
        TORCHRUN + "  env:\n    # mine\n    A: b  # kept\n",
    ),
    "the last in flow style": (
        TORCHRUN + "  env: {A: b, RANK: '0'}  # kept\n",
        TORCHRUN + "  env: {A: b}  # kept\n",
    ),
    "an item of a list of variables": (
        TORCHRUN
        + "  env:\n  - {name: A, value: b}\n  - name: RANK\n    value: '0'\n  - name: C  # kept\n    value: d\n",
        TORCHRUN + "  env:\n  - {name: A, value: b}\n  - name: C  # kept\n    value: d\n",
    ),
    "an option with its value in a block": (
        OWN + "  run:\n    exec:\n    - torchrun\n    - --nnodes  # nodes\n    - '4'\n    - train.py\n",
        OWN + "  run:\n    exec:\n    - torchrun\n    - train.py\n",
    ),
    "an option with its value in flow style": (
        OWN + "  run: {exec: [torchrun, --nnodes, '4', train.py]}\n",
        OWN + "  run: {exec: [torchrun, train.py]}\n",
    ),
    "a value in quotes": (
        TORCHRUN + "  resources: {cpu: 4}\n  env:\n  - name: OMP_NUM_THREADS\n    value: '8'  # kept\n",
        TORCHRUN + '  resources: {cpu: 4}\n  env:\n  - name: OMP_NUM_THREADS\n    value: "4"  # kept\n',
    ),
    "a field that moves": (
        TORCHRUN + "  podTemplate:\n    spec:\n      # kept\n      restartPolicy: OnFailure\n      nodeName: a\n",
        TORCHRUN
        + "  podTemplate:\n    spec:\n      # kept\n      nodeName: a\n  lifecycle: {restartPolicy: OnFailure}\n",
    ),
    "a field of an empty section": (
        HEAD.replace("train:1", "pytorch/pytorch:1.9.1-cuda11.1") + TORCHRUN.removeprefix(HEAD),
        HEAD.replace("train:1", "pytorch/pytorch:1.9.1-cuda11.1")
        + TORCHRUN.removeprefix(HEAD).replace("torchrun: {}", "torchrun: {module: torch.distributed.run}"),
    ),
}


@pytest.mark.parametrize("case", EDITS)
def test_an_edit_keeps_everything_else(case: str, tmp_path: Path) -> None:
    before, after = EDITS[case]
    file = write(tmp_path / "job.yaml", before)
    done = trainc("check", "--fix", "--unsafe-fixes", "-q", file)
    assert (file.read_text(), done.code) == (after, 0), done.err
    assert trainc("check", "--diff", "--unsafe-fixes", "-q", file) == (0, "", "")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (TORCHRUN + "  env: {RANK: '0'}  # {{ x }}\n", ()),
        (TORCHRUN + "  env: &env {RANK: '0', A: b}\n  lifecycle: *env\n", ()),
        (TORCHRUN, ("--set", "spec.env.RANK=0")),
        (TORCHRUN + "  env: {RANK: '0'}\n", ("--set", "spec.workers=3")),
        (TORCHRUN + "  env: {RANK: '0'}\n", ("--ignore", "TC3111")),
        (TORCHRUN + "  env: {RANK: '0'}  # trainc: ignore TC3111\n", ()),
    ],
)
def test_what_no_fix_edits(text: str, options: tuple[str, ...], tmp_path: Path) -> None:
    file = write(tmp_path / "job.yaml", text)
    trainc("check", "--fix", file, *options)
    assert file.read_text() == text


def test_a_change_of_the_job_needs_unsafe_fixes(tmp_path: Path) -> None:
    file = write(tmp_path / "job.yaml", TORCHRUN + "  env: {RANK: '0', OMP_NUM_THREADS: '8'}\n  resources: {cpu: 4}\n")
    summary = "1 fixable by `trainc check --fix`, 1 more with --unsafe-fixes\n"
    assert trainc("check", file).err.endswith(summary)
    assert trainc("check", "--fix", file).err.endswith("1 fixable by `trainc check --fix --unsafe-fixes`\n")
    assert "RANK" not in file.read_text()
    assert '"8"' in file.read_text().replace("'", '"')


def test_a_job_of_another_system_is_edited_for_its_own_system_only(tmp_path: Path) -> None:
    text = """\
apiVersion: kubeflow.org/v1
kind: PytorchJob  # misspelled
metadata: {name: mnist}
spec:
  pytorchReplicaSpecs:
    Master:
      template:
        spec:
          containers:
          - name: train  # renamed
            image: train:1
            command: [torchrun, --nnodes=4, train.py]
            env:
            - name: WORLD_SIZE
              value: "4"
            - {name: A, value: b}
"""
    file = write(tmp_path / "job.yaml", text)
    trainc("check", "--fix", "--unsafe-fixes", "--backend", "job", file)
    assert file.read_text() == text
    done = trainc("check", "--fix", "--unsafe-fixes", file)
    expected = text.replace("PytorchJob", "PyTorchJob").replace("name: train  #", "name: pytorch  #")
    expected = expected.replace("    Master:\n", "    Master:\n      replicas: 1\n").replace("--nnodes=4", "--nnodes=1")
    expected = expected.replace('            - name: WORLD_SIZE\n              value: "4"\n', "")
    lines = sorted(file.read_text().splitlines())
    assert lines == sorted(expected.splitlines()), done.err
