"""Scenarios of `trainc rehearse`: those that a user names, and the list of all."""

from __future__ import annotations

import os

from trainc.cli.exit_codes import OK
from trainc.cli.input_files import read_files
from trainc.cli.parameters import InvalidParameter
from trainc.cli.streams import to_stdout
from trainc.diagnostics.diagnostic import Rejected
from trainc.rehearse.scenarios.registry import DEFAULT, SCENARIOS, Scenario
from trainc.rehearse.script import parse_script
from trainc.rehearse.script_runner import script_scenario
from trainc.schema.hints import nearest


def list_scenarios() -> int:
    """Print the scenarios; return the exit code."""
    width = max(map(len, SCENARIOS))
    to_stdout("".join(f"{name:<{width}}  {each.description}\n" for name, each in SCENARIOS.items()))
    return OK


def select_scenarios(arguments: list[str]) -> list[Scenario]:
    """Return the named scenarios and those of files. Raises Rejected for an invalid file."""
    names = list(dict.fromkeys(arguments)) or list(DEFAULT)
    scenarios = []
    for name in names:
        if name == "all":
            scenarios += [each for other, each in SCENARIOS.items() if other not in names]
        elif name in SCENARIOS:
            scenarios.append(SCENARIOS[name])
        elif os.sep in name or name.endswith((".yaml", ".yml")):
            sources, diagnostics = read_files([name])
            if diagnostics:
                raise Rejected(*diagnostics)
            scenarios.append(script_scenario(parse_script(sources[0])))
        else:
            suggestion = nearest(name, list(SCENARIOS))
            hint = f"did you mean {suggestion}?" if suggestion else "`--scenario list` lists all"
            raise InvalidParameter(f"unknown scenario {name!r}; {hint}", "--scenario")
    return scenarios
