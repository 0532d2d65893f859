"""Generate docs/equivalence.md: how the back ends differ over all examples. With --check only compare."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from functools import cache
from textwrap import fill

import trainc
from tools.generated import ROOT, write
from trainc.plan.equivalence import EXPECTED, differences
from trainc.plan.plan import plan
from trainc.systems.registry import NAMES

PAGE = ROOT / "docs" / "equivalence.md"
COUNTS = (
    "{jobs} jobs make {plans} plans: {backends}. A back end that rejects a job, or runs no pods of it, has no plan."
    " The plans of a job differ in these aspects and in no other:"
)
PAGE_TEXT = """\
# Equivalence of the back ends

This page says in which aspects the back ends run the same job differently; `tools/equivalence.py` generates it. For
every example and every back end that accepts it, [the plan](plan.md) reads the emitted manifests, independently of the
code that wrote them, and compares: the minimum, initial and maximum number of pods and world size; ranks; the launcher
and the program's command line; variables, and the environment of each process; the rendezvous endpoint and the workers
that it resolves to; DNS names; init containers; GPUs, resources, /dev/shm, volumes and image; what follows a failure
and a success.

{counts}

| aspect | reason | examples |
| --- | --- | --- |
{rows}

Elastic jobs without `workers` start with the minimum where an autoscaler can add workers, and with the maximum
elsewhere: {elastic}. That is not the same world, so `trainc compile --verify` fails until
`workers` is set, the number of pods at the start on every system.
"""
# Aspects of the world at the start, in which elastic jobs without `workers` differ.
START = ("initial pods", "initial world size")


@cache
def compare() -> tuple[int, Counter[str], dict[str, list[str]]]:
    """Return the numbers of jobs and of plans by back end, and the examples by the aspect in which plans differ."""
    by_aspect: dict[str, list[str]] = defaultdict(list)
    jobs = 0
    plans: Counter[str] = Counter()
    for file in sorted((ROOT / "examples").glob("*.yaml")):
        by_backend = {}
        for backend in NAMES:
            result = trainc.compile(file.read_bytes(), backend=backend, filename=str(file))
            if result.ok:
                by_backend[backend] = by_job(result.objects())
        for name in next(iter(by_backend.values())):
            job_plans = {backend: plan(of_file[name]) for backend, of_file in by_backend.items()}
            jobs += 1
            plans.update(backend for backend, job_plan in job_plans.items() if job_plan.workers)
            for difference in differences(job_plans):
                known = difference.is_expected or difference.name in START
                example = file.stem if known else f"{file.stem}: {difference.describe()}"
                by_aspect[difference.name].append(example)
    return jobs, plans, by_aspect


def by_job(objects: list[dict[str, object]]) -> dict[str, list[dict[str, object]]]:
    """Group the objects of a file by job, without the user's own objects."""
    jobs: dict[str, list[dict[str, object]]] = defaultdict(list)
    for resource in objects:
        metadata = resource.get("metadata")
        labels = metadata.get("labels", {}) if isinstance(metadata, dict) else {}
        if "trainc.dev/job" in labels:
            jobs[labels["trainc.dev/job"]].append(resource)
    return jobs


def page() -> str:
    """Return the text of the page. Raise ValueError if back ends differ in an unexpected aspect."""
    jobs, plans, by_aspect = compare()
    known = {*EXPECTED, *START}
    unexpected = [example for name, examples in by_aspect.items() if name not in known for example in examples]
    unexpected += [example for name in START for example in by_aspect.get(name, []) if has_workers(example)]
    if unexpected:
        raise ValueError("the back ends differ unexpectedly:\n" + "\n".join(unexpected))
    rows = []
    for name, reason in EXPECTED.items():
        examples = list(dict.fromkeys(by_aspect.get(name, [])))
        cell = ", ".join(examples) if len(examples) <= 8 else f"{len(examples)} examples"
        rows.append(f"| {name} | {reason} | {cell or '–'} |")
    elastic = ", ".join(f"`{example}`" for example in by_aspect[START[0]])
    backends = ", ".join(f"{plans[backend]} of `{backend}`" for backend in NAMES)
    counts = fill(COUNTS.format(jobs=jobs, plans=plans.total(), backends=backends), 120)
    return PAGE_TEXT.format(counts=counts, rows="\n".join(rows), elastic=elastic)


def has_workers(example: str) -> bool:
    """Return whether an example sets the number of pods at the start."""
    return "\n  workers:" in (ROOT / "examples" / f"{example}.yaml").read_text("utf-8")


def main() -> int:
    """Write the page, or with --check report whether it is up to date."""
    return write({PAGE: page()}, "tools.equivalence")


if __name__ == "__main__":
    sys.exit(main())
