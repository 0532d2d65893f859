"""Error message for an unknown command, with the command that other tools call so."""

from __future__ import annotations

from trainc.cli.commands import COMMANDS
from trainc.cli.notices import notify
from trainc.diagnostics.cells import visible
from trainc.schema.hints import nearest

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


def report_unknown_command(name: str) -> None:
    """Print the error with the command that was probably meant."""
    is_file = name.endswith((".yaml", ".yml"))
    suggestion = f"compile {name}" if is_file else _ELSEWHERE.get(name) or nearest(name, list(COMMANDS))
    hint = f"did you mean `trainc {visible(suggestion)}`?" if suggestion else "`trainc --help` lists the commands"
    message = f"no such command `{visible(name)}`: {hint}"
    notify("usage-error", message, f"Error: {message}\n")
