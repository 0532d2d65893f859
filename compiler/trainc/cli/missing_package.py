"""Message about a package of an extra that is not installed."""

from __future__ import annotations

from trainc.cli.exit_codes import USAGE
from trainc.cli.notices import notify


def report_missing_package(command: str, problem: ModuleNotFoundError) -> int:
    """Print how to install the extra that has the name of a command; return the exit code."""
    package, install = (problem.name or command).partition(".")[0], f"pip install 'trainc[{command}]'"
    reason = f"trainc {command} requires the package {package}"
    notify("missing-package", reason, f"error: {reason}: {install}\n", help=install)
    return USAGE
