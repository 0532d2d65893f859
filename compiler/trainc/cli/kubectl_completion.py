"""Program `kubectl_complete-trainc`, which kubectl runs to complete `kubectl trainc …`.

https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/#install-kubectl-plugins-with-shell-completion
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import redirect_stdout, suppress
from io import StringIO

from trainc.cli.app import run_with_typer
from trainc.typenames import NoReturn

# https://github.com/spf13/cobra/blob/v1.10.1/completions.go, ShellCompDirective
_FILES, _NO_SPACE, _NO_FILES = 0, 2, 4


def main() -> NoReturn:
    """Print the completions of the last argument, each with its description, and Cobra's directive."""
    *words, incomplete = sys.argv[1:] or [""]
    lines = completions(words, incomplete)
    directive = _NO_FILES if lines else _FILES
    if lines and all(line.partition("\t")[0].endswith("=") for line in lines):
        directive |= _NO_SPACE
    sys.stdout.write("".join(f"{line}\n" for line in [*lines, f":{directive}"]))
    sys.exit()


def completions(words: list[str], incomplete: str) -> list[str]:
    """Return the completions of a word after others; none if it is a file name."""
    line = shlex.join(["trainc", *words, incomplete] if incomplete else ["trainc", *words]) + " " * (not incomplete)
    # As the completion script that Typer generates for fish, the shell with descriptions.
    os.environ.update(
        _TRAINC_COMPLETE="complete_fish", _TYPER_COMPLETE_FISH_ACTION="get-args", _TYPER_COMPLETE_ARGS=line
    )
    with redirect_stdout(StringIO()) as output, suppress(SystemExit):
        run_with_typer([])
    return [line for line in output.getvalue().splitlines() if line]
