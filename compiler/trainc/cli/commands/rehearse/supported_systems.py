"""Operating systems on which `trainc rehearse` runs."""

from __future__ import annotations

from sys import platform

from trainc.cli.commands.rehearse import Options
from trainc.cli.exit_codes import USAGE
from trainc.cli.notices import notify


def rehearse(options: Options) -> int:
    """Run the rehearsals on Linux; return the exit code."""
    if not platform.startswith("linux"):  # the modules of the rehearsal import what only Linux has
        notify("rehearsal-failed", "a rehearsal needs Linux namespaces, which this system doesn't have")
        return USAGE
    from trainc.cli.commands.rehearse.job_rehearsals import rehearse_jobs

    return rehearse_jobs(options)
