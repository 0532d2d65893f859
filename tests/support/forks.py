"""Run many commands in one new interpreter, each in a fork after the imports.

The interpreter has its own hash seed, locale, time zone and folder, and each fork its own state. Only the start of
Python and the imports, most of the time of a short command, are shared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

COMPILER = Path(__file__).resolve().parents[2] / "compiler"
PROGRAM = """
import json, os, sys
import trainc.__main__, trainc.driver, trainc.cli.app, trainc.cli.commands.compile
from trainc.cli.guard import guarded
exit_codes = []
for arguments, output in json.load(sys.stdin):
    child = os.fork()
    if not child:
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        sys.argv[1:] = arguments
        try:
            trainc.__main__.main()
        except SystemExit as end:
            sys.stdout.flush()
            os._exit(end.code)  # skips the interpreter's slow shutdown
    exit_codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
json.dump(exit_codes, sys.stdout)
"""


def run_forks(commands: Sequence[tuple[Sequence[str], Path]], environment: Mapping[str, str], cwd: Path) -> list[int]:
    """Run trainc with each list of arguments, write its stdout to the file next to it, and return the exit codes."""
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps([(arguments, os.fspath(output)) for arguments, output in commands]),
        env={"PYTHONPATH": str(COMPILER), **environment},
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    codes: list[int] = json.loads(process.stdout)
    return codes
