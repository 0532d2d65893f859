"""Jobs with their expected diagnostics: `# expect: CODE LINE:COLUMN SEVERITY` at the top, or in a .expect file.

Lines and columns count from 1 and were determined by hand. `# with:` contains command-line options, `# policy:` the
policy of the project file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.clusters import OPTION, on_cluster, option_entry
from tests.support.files import PROJECT
from trainc.diagnostics.diagnostic import Diagnostic, Rejected
from trainc.driver import check_inputs, compile_inputs
from trainc.frontend import read_sources
from trainc.project.load import read_project
from trainc.project.projects import Projects
from trainc.source.load import decode
from trainc.span import Source
from trainc.systems.registry import DEFAULT
from trainc.target import DEFAULT as DEFAULT_MINOR
from trainc.target import Target

FOLDER = Path(__file__).resolve().parents[1] / "acceptance"
BAD = sorted((FOLDER / "bad").glob("*.yaml"))
OWN_SYSTEM = sorted((FOLDER / "own_system").glob("*.yaml"))  # other systems' jobs, as `trainc check` judges them
POLICY = sorted((FOLDER / "policy").glob("*.yaml"))  # jobs of a project with a policy
GOOD = sorted((FOLDER / "good").glob("*.yaml"))
_LINE = re.compile(r"# expect: (?P<finding>TC\d{4} \d+:\d+)(?: (?P<severity>warning|note))?")


class Expectation(NamedTuple):
    """Findings as `CODE LINE:COLUMN SEVERITY`, in the order of the text, and the command-line options."""

    findings: list[str]
    options: list[str]
    policy: str = ""

    @property
    def exit_code(self) -> int:
        return int(any(finding.endswith(" error") for finding in self.findings))

    @property
    def target(self) -> Target:
        return parse_target(self.options)


def parse_project(text: str, *files: str) -> Projects:
    """Return the projects of files that have the project file trainc.yaml of this text."""
    project = read_project(Source("trainc.yaml", text))
    return Projects(dict.fromkeys(files, project), project, states_backend=False, today="2026-12-01")


def parse_target(options: Sequence[str]) -> Target:
    """Return the target of command-line options."""
    values = dict(zip(options[::2], options[1::2], strict=True))
    releases = values.pop("--target", "")
    values.pop(OPTION, None)
    states_version = "--kubernetes-version" in values
    minor = values.pop("--kubernetes-version", f"1.{DEFAULT_MINOR}").removeprefix("1.")
    fields: dict[str, Any] = {option.removeprefix("--").replace("-", "_"): value for option, value in values.items()}
    versions = dict([releases.split("=")]) if releases else {}
    target = Target(minor=int(minor), states_version=states_version, versions=versions)
    return target.replace(**{"backend": DEFAULT, **fields})


def read_expectation(file: Path) -> Expectation:
    """Read the .expect file, for files that must not contain comments, else the first lines."""
    sidecar = file.with_suffix(".expect")
    text = (sidecar if sidecar.exists() else file).read_text("utf-8")
    expected, options, policy = [], [], ""
    for line in text.split("\n"):
        match = _LINE.fullmatch(line)
        if match:
            expected.append(f"{match['finding']} {match['severity'] or 'error'}")
        elif line.startswith("# with: "):
            options = line.removeprefix("# with: ").split()
        elif line.startswith("# policy: "):
            policy = line.removeprefix("# policy: ")
        else:
            break
    return Expectation(expected, options, policy)


def format_findings(diagnostics: list[Diagnostic]) -> list[str]:
    """Format diagnostics like an expectation."""
    return [f"{d.code.id} {d.span.line}:{d.span.column} {d.severity}" for d in diagnostics]


def is_checked(file: Path) -> bool:
    """Return whether a file is judged as `trainc check` does, in its own system."""
    return file in OWN_SYSTEM or file in POLICY


def diagnose(file: Path, target: Target) -> list[Diagnostic]:
    """Return the diagnostics of a file."""
    try:
        source = decode(file.name, file.read_bytes())
    except Rejected as rejected:
        return list(rejected.diagnostics)
    with chdir(file.parent):  # of its local files
        expectation = read_expectation(file)
        policy = expectation.policy if file in POLICY else ""
        projects = parse_project(f"{PROJECT}policy: {policy}", file.name) if policy else None
        inputs = read_sources([source], projects=projects)
        entry = option_entry(expectation.options)
        target = target if entry is None else target.replace(cluster=entry.name)
        outcome = check_inputs(inputs, target) if is_checked(file) else compile_inputs(inputs, target)
        outcome = on_cluster(outcome, inputs, expectation.options)
        for job in outcome.jobs:
            job.manifests()
    return outcome.diagnostics
