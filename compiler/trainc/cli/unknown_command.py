"""Error messages for an unknown command, and for a launch command whose options trainc would read."""

from __future__ import annotations

import re
import shlex

from trainc.cli.commands import COMMANDS
from trainc.cli.notices import notify
from trainc.cli.parameters import InvalidParameter
from trainc.diagnostics.cells import visible
from trainc.schema.hints import nearest
from trainc.systems.registry import COMMAND_NAMES

# Commands of kubectl, helm, kustomize, linters and job launchers, and what does the same here.
_ELSEWHERE = {
    **dict.fromkeys(("lint", "validate", "vet", "test"), "check"),
    **dict.fromkeys(("apply", "run", "submit", "create", "launch"), "compile FILE | kubectl apply -f -"),
    **dict.fromkeys(("render", "template", "build", "generate", "emit", "export"), "compile"),
    **dict.fromkeys(("convert", "migrate"), "import"),
    **dict.fromkeys(("show", "preview", "dry-run", "dryrun"), "plan"),
    **dict.fromkeys(("simulate", "execute"), "rehearse"),
    **dict.fromkeys(("describe", "doc", "docs", "man"), "explain"),
    **dict.fromkeys(("new", "scaffold"), "init"),
    **dict.fromkeys(("get", "logs", "watch"), "status"),
    "verify": "compile --verify",
}


TYPED = "command"  # the word before a launch command in place of files


def missing_dashes(arguments: list[str]) -> tuple[list[str], InvalidParameter | None]:
    """Return the arguments of `trainc import` with `--` before the options of a launch command, and the error."""
    start = next((index for index, word in enumerate(arguments) if word in (TYPED, *COMMAND_NAMES)), len(arguments))
    command = arguments[start + 1 :]
    if "--" in arguments or not any(word.startswith("-") for word in command) or {"-h", "--help"} & {*arguments}:
        return arguments, None
    start += arguments[start] == TYPED
    corrected = [*arguments[:start], "--", *arguments[start:]]
    shown = visible(shlex.join(corrected[:12])) + (" ..." if len(corrected) > 12 else "")
    return corrected, InvalidParameter(f"`--` is missing before the command: trainc {shown}", "FILE...")


def typed_command(command: list[str]) -> InvalidParameter:
    """Return the error of a command other than import about a launch command in place of files."""
    words = visible(shlex.join(command[:12])) + (" ..." if len(command) > 12 else "") if command else "COMMAND"
    message = "only import reads a typed command"
    return InvalidParameter(f"{message}: trainc import {TYPED} --set spec.image=IMAGE -- {words}", "FILE...")


def without_backend(arguments: list[str]) -> tuple[list[str], InvalidParameter | None]:
    """Return the arguments of `trainc import` without --backend, which it doesn't have, and the error."""
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    start = next((index for index, word in enumerate(words) if re.match(r"-b|--backend(=|$)", word)), None)
    if start is None or {"-h", "--help"} & {*words}:
        return arguments, None
    name = re.sub(r"-b=?|--backend=?", "", words[start], count=1) or (words[start + 1 :] or ["BACKEND"])[0]
    end = start + (2 if words[start] in ("-b", "--backend") else 1)
    use = f"`trainc compile FILE --backend {visible(name)}` compiles it, and reports what changes on that back end"
    error = InvalidParameter(f"import writes a job file, which is the same for all back ends; {use}", "--backend")
    return [*arguments[:start], *arguments[end:]], error


def report_unknown_command(name: str) -> None:
    """Print the error with the command that was probably meant."""
    is_file = name.endswith((".yaml", ".yml"))
    suggestion = f"compile {name}" if is_file else _ELSEWHERE.get(name) or nearest(name, list(COMMANDS))
    hint = f"did you mean `trainc {visible(suggestion)}`?" if suggestion else "`trainc --help` lists the commands"
    message = f"no such command `{visible(name)}`: {hint}"
    notify("usage-error", message, f"Error: {message}\n")
