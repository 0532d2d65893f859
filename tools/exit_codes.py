"""Write docs/exit-codes.md from trainc.cli.exit_codes; --check only compares."""

from __future__ import annotations

import sys

from tools.generated import ROOT, write
from trainc.cli.exit_codes import OF_COMMANDS, ExitCode

PAGE = ROOT / "docs" / "exit-codes.md"


def page() -> str:
    """Return the page: the meaning of each code for any command, then for single ones."""
    lines = [
        "# Exit codes",
        "",
        "Every command of trainc exits with one of these codes.",
        "",
        "| exit code | meaning |",
        "|---|---|",
    ]
    lines += [f"| {code.value} | {code.meaning} |" for code in ExitCode]
    lines += ["", "SIGTERM and SIGHUP end trainc as any program: shells report 143 and 129."]
    lines += ["", "## Further meanings", "", "| command | exit code | meaning |", "|---|---|---|"]
    lines += [
        f"| `{command}` | {code.value} | {meaning} |"
        for command, meanings in OF_COMMANDS.items()
        for code, meaning in meanings.items()
    ]
    lines += ["", "`tools/exit_codes.py` generates this page. Exit codes of the training program and of the launchers:"]
    return "\n".join([*lines, "`trainc explain exit-codes`."]) + "\n"


def main() -> int:
    """Write the page, or with --check report whether it is up to date."""
    return write({PAGE: page()}, "tools.exit_codes")


if __name__ == "__main__":
    sys.exit(main())
