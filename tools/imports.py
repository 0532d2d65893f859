"""Write into docs/import.md what trainc reads of a folder of public jobs; --check only compares.

The folder is ../shared/corpus next to the checkout, or TRAINC_CORPUS. Without it nothing is compared.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.support import round_trip
from tests.support.command import trainc
from tests.support.facts import corpus_folder
from trainc.checks.registry import run_checks
from trainc.compiled import Task
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import check_inputs, rule_context, run
from trainc.frontend import read_sources
from trainc.span import Source
from trainc.systems.registry import NAMES as BACKENDS
from trainc.systems.registry import READABLE
from trainc.target import Target

PYTORCHJOB = Target(backend="pytorchjob")
PAGE = Path(__file__).parent.parent / "docs" / "import.md"
COUNTS = ("carried over", "changed", "not carried over")  # of values
BLOCK = re.compile(r"(<!-- generated -->\n).*(<!-- end -->)", re.DOTALL)
VARIABLE = re.compile(r"(?<!\$)\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
PLACEHOLDER = re.compile(r"(?<=image: )\S*<\w+>\S*")  # in the image of an example
# Values for the variables of templates, by name; "x" for all others.
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
    "GPU_PER_WORKER": "8",
    "EFA_PER_WORKER": "4",
    "HUGEPAGES_2MI": "5120Mi",
    "TOTAL_GPUS": "8",
    "DATA_DIR": "/data",
    "NP": "16",
    "DOLLAR": "$",
}
QUANTITIES = re.compile(r"MEMORY")
NUMBERS = re.compile(r"NUM|SIZE|STEP|PER_NODE|COUNT|CORES|CPU|PARALLEL|ITER|WORKERS|EPOCHS|REPLICAS|LIMIT")
VALUES = re.compile(r"\d+ values?: (\d+) carried over, (\d+) changed, (\d+) not carried over\n")
CHANGED = re.compile(r"^differences: (\d+)$", re.MULTILINE)
NOT_A_JOB = "is not a training job"  # in the warning about an object next to a job


class Reading(NamedTuple):
    """Result of reading a file. Of a template everything but `is_template` is about the file with stand-ins.

    `values` are the numbers of those that are carried over, changed and not carried over; `lines` is the number of
    changes that `trainc import` lists.
    """

    name: str
    is_template: bool
    jobs: int
    values: tuple[int, int, int]
    lines: int
    dropped: list[str]
    other_objects: int
    errors: list[str]
    job_errors: list[str]


def kinds() -> list[str]:
    """Return the folders of the operators' systems whose jobs trainc reads."""
    return [system.name for system in READABLE if system.traits.operator]


@cache
def read(file: Path) -> Reading:
    """Read a file."""
    text = file.read_text("utf-8")
    _, diagnostics = translate(text)
    is_template = any(d.code is codes.UNRENDERED_TEMPLATE and d.severity == "error" for d in diagnostics)
    if is_template:
        text = fill(text)
    jobs, diagnostics = translate(text)
    errors = [d.code.id for d in diagnostics if d.severity == "error"]
    dropped = [d for d in diagnostics if d.code in (codes.IMPORT_DROPPED_FIELD, codes.ROLE_PODS_DIFFER)]
    summary = "" if errors else trainc("import", "-", stdin=text).err
    numbers = VALUES.match(summary)
    changed = CHANGED.search(summary)
    return Reading(
        name=file.name.replace("__", "/"),
        is_template=is_template,
        jobs=0 if errors else jobs,
        values=(int(numbers[1]), int(numbers[2]), int(numbers[3])) if numbers else (0, 0, 0),
        lines=int(changed[1]) if changed else 0,
        dropped=[d.message.split("`")[1] for d in dropped if NOT_A_JOB not in d.message],
        other_objects=sum(NOT_A_JOB in d.message for d in dropped),
        errors=errors,
        job_errors=[] if errors else job_errors(text),
    )


def translate(text: str) -> tuple[int, list[Diagnostic]]:
    """Return the number of jobs and the diagnostics of their translation."""
    (item,) = read_sources([Source("job.yaml", text)])
    return len(item.jobs), item.diagnostics


def job_errors(text: str) -> list[str]:
    """Return the codes of errors in the job itself on any back end, and of autoscalers without a request."""
    inputs = read_sources([Source("job.yaml", text)])
    jobs = [(job.spec, job) for item in inputs for job in item.foreign if job.spec]
    tasks = [Task(spec=spec, target=Target(backend=name), foreign=job) for spec, job in jobs for name in BACKENDS]
    diagnostics = [d for item in inputs for d in item.diagnostics] + [
        d for each in tasks for d in run_checks(rule_context(each))
    ]
    errors = {d.code.id for d in diagnostics if d.severity == "error" and d.code.id.startswith("TC3")}
    own = check_inputs(inputs, Target()).diagnostics
    return sorted(errors | {d.code.id for d in own if d.code is codes.AUTOSCALER_WITHOUT_REQUEST})


@cache
def round_trip_reasons(file: Path) -> list[str] | None:
    """Return why a PyTorchJob that is compiled to a PyTorchJob differs; None if trainc or the operator rejects it."""
    text = fill(file.read_text("utf-8"))
    diagnostics = run([Source("job.yaml", text)], PYTORCHJOB).diagnostics
    if read(file).errors or any(d.severity == "error" for d in diagnostics):
        return None
    compiled = {job["metadata"]["name"]: job for job in round_trip.compile_jobs(text)}
    pairs = [(original, compiled[original["metadata"]["name"]]) for original in round_trip.load_jobs(text)]
    if any(round_trip.is_rejected(original) for original, _ in pairs):
        return None
    differences = [difference for pair in pairs for difference in round_trip.differences(*pair)]
    return sorted({round_trip.intended_difference(difference) or difference for difference in differences})


def round_trip_table(files: list[Path]) -> list[str]:
    """Return the table of differences after a round trip of the PyTorchJobs."""
    results = [reasons for file in files for reasons in [round_trip_reasons(file)] if reasons is not None]
    count = Counter(reason for reasons in results for reason in reasons)
    unread = sum(bool(read(file).errors) for file in files)
    invalid = len(files) - len(results) - unread
    summary = (
        f"{len(results)} of {len(files)} files compile to PyTorchJobs (`--backend pytorchjob`) that differ from the "
        f"originals in this table only. {unread} files are not read; {invalid} contain errors, by trainc's checks "
        "(column *errors in the job* below) or the operator's."
    )
    lines = [summary, "", "| difference | files | reason |", "|---|---|---|"]
    return [*lines, *(f"| {row.name} | {count[row.name]} | {row.reason} |" for row in round_trip.INTENDED)]


def fill(text: str) -> str:
    """Return a template with stand-ins for its variables, and for the placeholders of its images."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if not name.isupper():
            return match[0]
        default = "64Gi" if QUANTITIES.search(name) else "1" if NUMBERS.search(name) else "x"
        stand_in = STAND_INS.get(name, default)
        # The template may append the tag of an image.
        return stand_in.rpartition(":")[0] if ":" in stand_in and text.startswith(":", match.end()) else stand_in

    text = PLACEHOLDER.sub(lambda match: re.sub(r"<\w+>", "x", match[0]), text)
    return VARIABLE.sub(value, text)


def listed_files(folder: Path) -> dict[str, list[Path]]:
    """Return the files of a folder that the page lists, by kind."""
    page = PAGE.read_text("utf-8")
    files = existing_files(folder)
    return {kind: [file for file in of_kind if display_name(file) in page] for kind, of_kind in files.items()}


def existing_files(folder: Path) -> dict[str, list[Path]]:
    """Return the files of a folder, by kind; kinds without any are left out."""
    return {kind: sorted((folder / kind).iterdir()) for kind in kinds() if (folder / kind).is_dir()}


def is_complete(folder: Path) -> bool:
    """Return whether a folder has every file that the page lists."""
    rows = sum(line.startswith(tuple(f"| {kind}/" for kind in kinds())) for line in PAGE.read_text("utf-8").split("\n"))
    return sum(map(len, listed_files(folder).values())) == rows


def display_name(file: Path) -> str:
    """Return the name of a file on the page."""
    return f"{file.parent.name}/{file.name.replace('__', '/')}"


def tables(files: dict[str, list[Path]]) -> str:
    """Return the generated part of the page."""
    readings = {kind: [read(file) for file in of_kind] for kind, of_kind in files.items()}
    heads = ["kind", "files", "jobs", "templates", "not read", "values", *COUNTS, "lines"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for kind, of_kind in readings.items():
        values = [sum(reading.values[number] for reading in of_kind) for number in range(3)]
        row = [
            kind,
            len(of_kind),
            sum(reading.jobs for reading in of_kind),
            sum(reading.is_template for reading in of_kind),
            sum(bool(reading.errors) for reading in of_kind),
            sum(values),
            *values,
            sum(reading.lines for reading in of_kind),
        ]
        lines.append("| " + " | ".join(map(str, row)) + " |")
    lines += ["", "Fields that are not carried over:", "", "| field | files |", "|---|---|"]
    count = Counter(name for of_kind in readings.values() for reading in of_kind for name in set(reading.dropped))
    lines += [f"| `{name}` | {times} |" for name, times in sorted(count.items(), key=lambda pair: (-pair[1], pair[0]))]
    lines += ["", *round_trip_table(files.get("pytorchjob", []))]
    lines += ["", "Every file, with stand-ins for the variables of templates:", ""]
    heads = ["file", "template", *COUNTS, "other objects", "lines", "errors in the job"]
    lines += [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for kind, of_kind in readings.items():
        for reading in of_kind:
            errors = ", ".join(reading.job_errors) or ", ".join(
                f"not read: {code}" for code in sorted(set(reading.errors))
            )
            row = [f"{kind}/{reading.name}", "yes" if reading.is_template else "", *reading.values]
            row += [reading.other_objects, reading.lines, errors]
            lines.append("| " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the tables; with --check return 1 if they differ from the page."""
    folder = corpus_folder()
    if folder is None:
        print("docs/import.md is not compared: no ../shared/corpus, and TRAINC_CORPUS names no folder")
        return 0
    page = PAGE.read_text("utf-8")
    check = "--check" in sys.argv
    if check and not is_complete(folder):
        print("docs/import.md is not compared: the corpus lacks files that the page lists")
        return 0
    files = listed_files(folder) if check else existing_files(folder)
    generated = BLOCK.sub(lambda block: f"{block[1]}\n{tables(files)}\n{block[2]}", page)
    if not check:
        PAGE.write_text(generated, "utf-8")
    elif page != generated:
        print("docs/import.md is out of date: run python -m tools.imports", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
