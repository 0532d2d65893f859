"""Table of systems: what trainc does with each, as the registry and the tests prove it.

A cell is ✓ if the system has the part and something tests it; every other cell refers to the reason why not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.cluster.operators import OPERATOR_OF_SYSTEM
from tools.generated import ROOT
from trainc.record import Record
from trainc.systems import registry
from trainc.systems.appwrapper.reader import KIND as WRAPPER

TESTS = ROOT / "tests"
COLUMNS = ("read", "write", "plan", "verify", "rehearse", "controller")
DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Documents that tests read as another system's own.
DOCUMENTS = ("own_system", "imported", "round_trip")
DIALECT, COMMAND = "ctyun.cn/v1", "tlaunchrun"
CONTROLLERS = {
    "job": "Kubernetes",
    "pods": "Kubernetes",
    "statefulset": "Kubernetes",
    "jobset": "JobSet controller 0.12",
    "trainjob": "Kubeflow Trainer 2.1 to 2.3",
    "pytorchjob": "Kubeflow training operator 1.9",
    "mpijob": "Kubeflow MPI operator 0.8",
    "vcjob": "Volcano 1.15",
    "elasticjob": "Torch Elastic operator",
    "deepspeedjob": "T9k",
    "pytorchtrainingjob": "T9k",
    "genericjob": "T9k",
    "rayjob": "KubeRay 1.5",
    "leaderworkerset": "LWS controller",
    "lpjob": "TLaunch's operator",
}

NAMED_ONLY = "not supported: the error names the system and an alternative for training"
INPUT_ONLY = "read only: its jobs are compiled for other systems"
AS_JOB = "done for the job that it contains or submits"
NOT_PUBLIC = "its controller is not public"
REASONS = {
    ("elasticjob", "controller"): "its controller is no longer maintained",
    ("rayjob", "rehearse"): "only KubeRay starts the cluster and the program: `launch.ray` is rehearsed on `job`",
    (
        "rayjob",
        "controller",
    ): "pods, Services, retries and lost pods are tested; no Ray runs in the pods, which would end a job",
    ("vcjob", "controller"): "the Go module proxy does not serve Volcano's modules",
    ("deepspeedjob", "rehearse"): "one worker only: its controller creates the SSH keys",
    **{(name, "controller"): NOT_PUBLIC for name in ("deepspeedjob", "pytorchtrainingjob", DIALECT)},
}
# What a ✓ leaves out.
LIMITS = {("mpijob", "rehearse"): "DeepSpeed and Open MPI only: the mpirun of another MPI exists only in the image"}
# By column, of systems without a reason of their own.
MISSING = {"read": "not an input yet", "rehearse": "no test yet", "controller": "no test yet"}


class Row(Record):
    """Row of the table: the system as the command line names it, its kind and controller, and its proven columns."""

    name: str
    kind: str
    controller: str
    proven: frozenset[str]


def rows() -> Iterator[Row]:
    """Yield the systems that run jobs, back ends first."""
    folders = {file.parent.name for file in Path(registry.__file__).parent.glob("*/traits.py")}
    inputs = sorted(name for name in folders - {*registry.NAMES} if registry.traits(name).trains)
    for system in map(registry.find, (*registry.NAMES, *inputs)):
        proven = frozenset(column for column in COLUMNS if is_proven(system, column))
        yield Row(name=system.name, kind=system.kind, controller=CONTROLLERS[system.name], proven=proven)
        if system.name == "pytorchjob":
            tested = DIALECT in (TESTS / "unit" / "systems" / "pytorchjob" / "test_dialects.py").read_text("utf-8")
            unproven = {"controller"} if DIALECT in rehearsed() else {"controller", "rehearse"}
            dialect = proven - unproven if tested else frozenset[str]()
            yield Row(name=DIALECT, kind=system.kind, controller="a fork of the training operator 1.5", proven=dialect)
    for name, kind, controller in ((WRAPPER.lower(), WRAPPER, "CodeFlare"), (COMMAND, "command line", "TLaunch")):
        proven = frozenset({"read"} if kind in documents() or (TESTS / "unit" / "systems" / name).exists() else ())
        yield Row(name=name, kind=kind, controller=controller, proven=proven)


def is_proven(system: registry.System, column: str) -> bool:
    """Return whether a system has what a column needs, and something tests it."""
    has_goldens = any((ROOT / "golden").glob(f"*/{system.name}.yaml"))
    if column == "read":
        has_test = (TESTS / "unit" / "systems" / system.name / "test_reader.py").exists()
        return "reader" in system.parts and (has_test or system.kind in documents())
    if column == "write":
        return "objects" in system.parts and has_goldens
    if column == "plan":
        has_test = (TESTS / "unit" / "systems" / system.name / "test_model.py").exists()
        return "model" in system.parts and (has_goldens or has_test)
    if column == "verify":  # tools/equivalence.py compares the plans of all goldens
        return is_proven(system, "write") and is_proven(system, "plan")
    if column == "rehearse":
        return "rehearsal" in system.parts and bool({system.name, system.kind} & rehearsed())
    # Kubernetes' own controllers and those of operators run with all goldens in tests/cluster
    return has_goldens and (not system.traits.operator or system.name in OPERATOR_OF_SYSTEM)


@cache
def documents() -> frozenset[str]:
    """Return the kinds of the documents that tests read."""
    files = (file for folder in DOCUMENTS for file in (TESTS / "acceptance" / folder).glob("*.yaml"))
    lines = (line for file in files for line in file.read_text("utf-8").splitlines())
    return frozenset(line.split(":")[1].strip() for line in lines if line.startswith("kind:"))


@cache
def rehearsed() -> frozenset[str]:
    """Return the strings in the rehearsals of tests/rehearsal, which name back ends and kinds."""
    trees = (ast.parse(file.read_text("utf-8")) for file in (TESTS / "rehearsal").rglob("test_*.py"))
    nodes = (node for tree in trees for node in ast.walk(tree))
    return frozenset(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def reason(row: Row, column: str) -> str:
    """Return why a cell is empty."""
    if row.name in (WRAPPER.lower(), COMMAND):
        return AS_JOB
    if not row.proven:
        return NAMED_ONLY
    if (row.name, column) in REASONS:
        return REASONS[row.name, column]
    return INPUT_ONLY if "write" not in row.proven else MISSING[column]


def table() -> str:
    """Return the table and its notes in Markdown."""
    notes: dict[str, str] = {}
    merged = [row for row in rows() if reason(row, COLUMNS[0]) == NAMED_ONLY]
    lines = [f"| `--backend` or input | run by | {' | '.join(COLUMNS)} |", f"|---|---|{'---|' * len(COLUMNS)}"]
    for row in rows():
        if row in merged[1:]:
            continue
        cells = []
        for column in COLUMNS:
            has_proof = column in row.proven
            note = LIMITS.get((row.name, column), "") if has_proof else reason(row, column)
            if note and note not in notes:
                notes[note] = str(len(notes) + 1).translate(DIGITS)
            cells.append("✓" * has_proof + notes.get(note, ""))
        default = " (default)" * (row.name == registry.DEFAULT)
        names, controller = f"`{row.name}`{default}", row.controller
        if row in merged:
            names = ", ".join(f"`{each.name}`" for each in merged)
            controller = ", ".join(dict.fromkeys(each.controller for each in merged))
        lines.append(f"| {names} | {controller} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(f"{number} {note}  " for note, number in notes.items())]) + "\n"
