"""`trainc check` of public manifests: python -m bench.public [FOLDER...] [--stand-ins] [--sample N].

The default folder is ../shared/corpus next to the checkout. Each file is checked by itself, as files of different
repositories belong to different clusters. docs/evidence.md lists the figures.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.support.command import trainc
from tests.support.facts import corpus_folder
from tools.imports import fill
from trainc.systems.registry import SYSTEM_NAMES, find

SEED = 20261127
SEVERITIES = ("error", "warning", "note")
TEMPLATE = "TC5004"
KINDS = {find(name).kind for name in SYSTEM_NAMES} | {"TrainingJob", "AppWrapper"}
_KIND = re.compile(r"^kind:[ \t]*[\"']?(\w+)", re.MULTILINE)


class Finding(NamedTuple):
    """Diagnostic with the file that it is about, relative to its folder."""

    file: str
    row: int
    code: str
    name: str
    severity: str
    message: str


class Checked(NamedTuple):
    """Result of one file: its jobs by kind as the text has them, and what `check` reports."""

    file: str
    kinds: Counter[str]
    findings: list[Finding]
    has_stand_ins: bool = False


def files_below(folder: Path) -> list[Path]:
    """Return the YAML files of a folder and its subfolders, or the file itself."""
    return [folder] if folder.is_file() else sorted(each for each in folder.rglob("*.y*ml") if each.is_file())


def check(name: str, text: str) -> list[Finding]:
    """Return the findings of a text. Raises RuntimeError if trainc fails."""
    done = trainc("check", "-", "--message-format", "json", stdin=text)
    if done.code not in (0, 1):
        raise RuntimeError(f"{name}: exit code {done.code}: {done.err}")
    return [
        Finding(
            name, (each["location"] or {"row": 0})["row"], each["code"], each["name"], each["severity"], each["message"]
        )
        for each in json.loads(done.out)
        if each["code"]
    ]


def check_file(file: Path, folder: Path, stand_ins: bool) -> Checked:
    """Check a file; an unrendered template with values for its shell variables, if there are to be any."""
    name = file.relative_to(folder).as_posix() if file != folder else file.name
    text = file.read_text("utf-8", errors="replace")
    findings = check(name, text)
    is_filled = stand_ins and any(each.code == TEMPLATE and each.severity == "error" for each in findings)
    if is_filled:
        findings = check(name, fill(text))
    return Checked(name, Counter(kind for kind in _KIND.findall(text) if kind in KINDS), findings, is_filled)


def report(results: list[Checked], seconds: float) -> Iterable[str]:
    """Yield the lines of the tables."""
    findings = [each for result in results for each in result.findings]
    without = sum(not result.findings for result in results)
    with_errors = sum(any(each.severity == "error" for each in result.findings) for result in results)
    yield f"{len(results)} files in {seconds:.1f} s: {without} without a finding, {with_errors} with an error"
    if filled := sum(result.has_stand_ins for result in results):
        yield f"{filled} unrendered templates have stand-ins for their shell variables"
    yield f"\n{'kind':<24}{'objects':>8}{'files':>8}{'files with a finding':>22}"
    kinds = sum((result.kinds for result in results), Counter())
    for kind, count in sorted(kinds.items(), key=lambda item: (-item[1], item[0])):
        having = [result for result in results if result.kinds[kind]]
        yield f"{kind:<24}{count:>8}{len(having):>8}{sum(bool(result.findings) for result in having):>22}"
    yield f"\n{'code':<8}{'error':>7}{'warning':>9}{'note':>6}{'files':>7}  name"
    names = {each.code: each.name for each in findings}
    counts = Counter((each.code, each.severity) for each in findings)
    for code in sorted(names):
        error, warning, note = (counts[code, severity] or "" for severity in SEVERITIES)
        affected = len({each.file for each in findings if each.code == code})
        yield f"{code:<8}{error:>7}{warning:>9}{note:>6}{affected:>7}  {names[code]}"
    total = Counter(each.severity for each in findings)
    yield f"{'all':<8}{total['error']:>7}{total['warning']:>9}{total['note']:>6}{len(results) - without:>7}"


def sample(results: list[Checked], number: int) -> list[Finding]:
    """Return random findings, the same for the same results."""
    findings = sorted(each for result in results for each in result.findings)
    return sorted(random.Random(SEED).sample(findings, min(number, len(findings))))


def main(arguments: list[str]) -> int:
    """Print the tables, and a sample of the findings."""
    parser = argparse.ArgumentParser(prog="python -m bench.public", description=(__doc__ or "").partition(":")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--stand-ins", action="store_true", help="fill in the shell variables of unrendered templates")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="print N random findings, to judge them")
    options = parser.parse_args(arguments)
    folders = options.folders or list(filter(None, [corpus_folder()]))
    if missing := [folder for folder in folders if not folder.exists()] or (not folders and ["../shared/corpus"]):
        parser.error(f"no such folder: {missing[0]}")
    start = time.perf_counter()
    results = [check_file(file, folder, options.stand_ins) for folder in folders for file in files_below(folder)]
    print("\n".join(report(results, time.perf_counter() - start)))
    for finding in sample(results, options.sample):
        print(f"\n{finding.file}:{finding.row}\n  {finding.severity} {finding.code} {finding.message}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
