"""Options that the job's torch does not have, and how torchrun would take them."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("launch.torchrun.torchVersion",)

# The first torch whose torch/distributed/run.py has the option, read in the wheels of 1.9 to 2.15.
SINCE = {
    "localAddr": "2.0",
    "localRanksFilter": "2.3",
    "logsSpecs": "2.3",
    "eventLogHandler": "2.8",
    "numaBinding": "2.9",
    "signals": "2.10",
    "virtualLocalRank": "2.10",
    "duplicateStdoutFilters": "2.10",
    "duplicateStderrFilters": "2.10",
    "shutdownTimeout": "2.12",
    "logLinePrefixTemplate": "2.14",
}
ARGUMENTS = ("numaBinding", "logsSpecs")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """A variable would be ignored without a word, an argument end the launcher."""
    options = context.spec.launch
    if not isinstance(options, Torchrun) or options.torch_version is None:
        return
    ours = numbers(options.torch_version)
    for field, since in SINCE.items():
        if options.gives(field) and ours < numbers(since):
            fate = "refuse" if field in ARGUMENTS else "ignore"
            message = f"torch {options.torch_version} would {fate} `{field}`, which needs {since} or newer"
            other = Related(span=options.where("torchVersion"), message="the job's torch")
            yield error(codes.TORCH_TOO_OLD, message, options.where(field), related=[other])


def numbers(version: str) -> tuple[int, int]:
    """Major and minor of a version that the schema accepts."""
    major, minor, *_ = version.split(".")
    return int(major), int(minor)
