"""Puts what trainc reads of a folder of public jobs into docs/import.md; --check only compares.

The folder is beside the checkout or named by TRAINC_CORPUS. Without it there is nothing to compare with.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.support import roundtrip
from tests.support.originals import corpus
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import run
from trainc.source.load import load
from trainc.source.node import Mapping, Scalar
from trainc.span import Source
from trainc.systems.registry import NAMES as BACKENDS
from trainc.systems.registry import READABLE_KINDS
from trainc.systems.shared.reader.coverage import count_carried_over
from trainc.systems.shared.reader.documents import translate_documents
from trainc.target import Target

BACK = Target(backend="pytorchjob")
PAGE = Path(__file__).parent.parent / "docs" / "import.md"
BLOCK = re.compile(r"(<!-- generated -->\n).*(<!-- end -->)", re.DOTALL)
VARIABLE = re.compile(r"(?<!\$)\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
# What stands in for the variables of templates, by their names; "x" for all others.
STAND_INS = {
    "IMAGE": "example.com/train:1",
    "IMAGE_URI": "example.com/train:1",
    "REPO_URI": "example.com/train:1",
    "REGISTRY": "example.com/",
    "GPU_RESOURCE": "nvidia.com/gpu",
    "SHM_SIZE": "16Gi",
    "NUM_NODES": "2",
    "GPU_PER_NODE": "8",
    "GPUS_PER_NODE": "8",
}
QUANTITIES = re.compile(r"MEMORY")
NOT_A_JOB = "is not a job"  # in the warning about an object next to a job
NUMBERS = re.compile(r"NUM|SIZE|STEP|PER_NODE|COUNT|CORES|CPU|PARALLEL|ITER|WORKERS|EPOCHS|REPLICAS|LIMIT")


class Read(NamedTuple):
    """A file: as it is, and, if that is a template, as it is when its variables have stand-ins."""

    name: str
    template: bool
    jobs: int
    fields: int
    changed: int
    dropped: list[str]
    beside: int
    errors: list[str]
    found: list[str]


def kinds() -> list[str]:
    """The folders of the kinds that there is a front end for."""
    return [kind.lower() for kind in READABLE_KINDS]


def read(file: Path) -> Read:
    """What trainc reads of a file."""
    text = file.read_text("utf-8")
    _, said = translated(text)
    template = any(one.code is codes.UNRENDERED_TEMPLATE and one.severity == "error" for one in said)
    if template:
        text = filled(text)
    jobs, said = translated(text)
    errors = [one.code.id for one in said if one.severity == "error"]
    dropped = [one for one in said if one.code in (codes.IMPORT_DROPPED_FIELD, codes.ROLE_PODS_DIFFER)]
    documents = load(Source(file.name, text))[0]
    own = [one for one in documents if isinstance(one, Mapping) and is_job(one)]
    return Read(
        name=file.name.replace("__", "/"),
        template=template,
        jobs=0 if errors else jobs,
        fields=0 if errors else count_carried_over(list(own), dropped)[0],
        changed=sum(one.code is codes.IMPORT_CHANGED_FIELD for one in said),
        dropped=[one.message.partition("`")[2].partition("`")[0] for one in dropped if NOT_A_JOB not in one.message],
        beside=sum(NOT_A_JOB in one.message for one in dropped),
        errors=errors,
        found=[] if errors else found(text),
    )


def translated(text: str) -> tuple[int, list[Diagnostic]]:
    """The number of jobs, and what is said of the translation."""
    outcome = run([Source("job.yaml", text)], Target())
    documents, problems = load(Source("job.yaml", text))
    jobs = 0 if problems else len(translate_documents([documents])[0][0])
    mine = [
        one
        for one in outcome.diagnostics
        if one.code is codes.ROLE_PODS_DIFFER or one.code.id[:3] in ("TC5", "TC1", "TC2")
    ]
    return jobs, mine


def found(text: str, *backends: str) -> list[str]:
    """The errors in the job itself that back ends show, of all if none is named, and autoscalers without a request."""
    said = [
        one
        for name in backends or BACKENDS
        for one in run([Source("job.yaml", text)], Target(backend=name)).diagnostics
    ]
    own = {one.code.id for one in said if one.severity == "error" and (backends or one.code.id.startswith("TC3"))}
    own |= {one.code.id for one in said if one.code is codes.AUTOSCALER_WITHOUT_REQUEST}
    return sorted(own)


@cache
def returns(file: Path) -> list[str] | None:
    """Why a PyTorchJob that is compiled for its own operator differs; None where it can't be, or was refused there."""
    text = filled(file.read_text("utf-8"))
    if read(file).errors or any(one.severity == "error" for one in run([Source("job.yaml", text)], BACK).diagnostics):
        return None
    there = {job["metadata"]["name"]: job for job in roundtrip.returned(text)}
    pairs = [(one, there[one["metadata"]["name"]]) for one in roundtrip.originals(text)]
    if any(roundtrip.is_refused(one) for one, _ in pairs):
        return None
    reasons = {roundtrip.meant(each) or each for pair in pairs for each in roundtrip.differences(*pair)}
    return sorted(reasons)


def round_trip(files: list[Path]) -> list[str]:
    """What comes back of the PyTorchJobs."""
    every = [reasons for file in files for reasons in [returns(file)] if reasons is not None]
    count = Counter(reason for reasons in every for reason in reasons)
    unread = sum(bool(read(file).errors) for file in files)
    said = (
        f"Of {len(files)} files {len(every)} are compiled for their own operator (`--backend pytorchjob`) and differ in"
    )
    said += (
        f" nothing but what this table has; {unread} are not read, and {len(files) - len(every) - unread} are wrong in"
    )
    lines = [f"{said} themselves, for trainc (*found in the job*) or for the operator.", ""]
    lines += ["| differs in | files | why |", "|---|---|---|"]
    return [*lines, *(f"| {one.name} | {count[one.name]} | {one.why} |" for one in roundtrip.MEANT)]


def filled(text: str) -> str:
    """A template with something for each of its variables."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if not name.isupper():
            return match[0]
        other = "64Gi" if QUANTITIES.search(name) else "1" if NUMBERS.search(name) else "x"
        given = STAND_INS.get(name, other)
        # An image whose tag the template itself adds.
        return given.rpartition(":")[0] if ":" in given and text.startswith(":", match.end()) else given

    return VARIABLE.sub(value, text)


def is_job(document: Mapping) -> bool:
    """Whether a document is a job of a kind that is read, or wraps one."""
    kind = document.get("kind")
    return isinstance(kind, Scalar) and kind.text in (*READABLE_KINDS, "AppWrapper")


def listed(folder: Path) -> dict[str, list[Path]]:
    """The files of a folder by kind; where the page has a table, those that it lists."""
    page = PAGE.read_text("utf-8")
    files = {kind: sorted((folder / kind).iterdir()) if (folder / kind).is_dir() else [] for kind in kinds()}
    return {kind: [file for file in found if shown(file) in page] for kind, found in files.items()}


def is_complete(folder: Path) -> bool:
    """Whether a folder still has every file that the page lists."""
    rows = sum(line.startswith(tuple(f"| {kind}/" for kind in kinds())) for line in PAGE.read_text("utf-8").split("\n"))
    return sum(map(len, listed(folder).values())) == rows


def shown(file: Path) -> str:
    """A file as the page names it."""
    return f"{file.parent.name}/{file.name.replace('__', '/')}"


def tables(listed_files: dict[str, list[Path]]) -> str:
    """The generated part of the page."""
    read_files = {kind: [read(file) for file in found] for kind, found in listed_files.items()}
    lines = ["| kind | files | jobs | templates | not read | fields | carried over | notes |", "|---" * 8 + "|"]
    for kind, files in read_files.items():
        dropped = sum(len(one.dropped) for one in files if not one.errors)
        total = sum(one.fields for one in files)
        share = f"{total} ({100 * total / (total + dropped):.1f} %)" if total else "0"
        row = [kind, len(files), sum(one.jobs for one in files), sum(one.template for one in files)]
        row += [sum(bool(one.errors) for one in files), total + dropped, share, sum(one.changed for one in files)]
        lines.append("| " + " | ".join(map(str, row)) + " |")
    lines += ["", "What is not carried over, by frequency:", "", "| field | files |", "|---|---|"]
    count = Counter(name for files in read_files.values() for one in files for name in set(one.dropped))
    lines += [f"| `{name}` | {times} |" for name, times in sorted(count.items(), key=lambda pair: (-pair[1], pair[0]))]
    lines += ["", *round_trip(listed_files.get("pytorchjob", []))]
    lines += ["", "Each file, with its template's variables filled in:", ""]
    lines += ["| file | template | carried over | not | objects beside | notes | found in the job |", "|---" * 7 + "|"]
    for kind, files in read_files.items():
        for one in files:
            what = ", ".join(one.found) or ", ".join(f"not read: {code}" for code in sorted(set(one.errors)))
            row = [f"{kind}/{one.name}", "yes" if one.template else "", one.fields, len(one.dropped), one.beside]
            row += [one.changed, what]
            lines.append("| " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the tables, or with --check say whether they are what would be written."""
    folder = corpus()
    if folder is None:
        print("docs/import.md is not compared: no ../shared/corpus, and TRAINC_CORPUS names no folder")
        return 0
    text = PAGE.read_text("utf-8")
    if "--check" in sys.argv and not is_complete(folder):
        print("docs/import.md is not compared: the corpus lacks files that it lists")
        return 0
    every = {kind: sorted((folder / kind).iterdir()) for kind in kinds()}
    files = listed(folder) if "--check" in sys.argv else every
    wanted = BLOCK.sub(lambda block: f"{block[1]}\n{tables(files)}\n{block[2]}", text)
    if "--check" not in sys.argv:
        PAGE.write_text(wanted, "utf-8")
    elif text != wanted:
        print("docs/import.md is not what the corpus says: run python -m tools.imports", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
