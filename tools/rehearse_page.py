"""Generate the scenario and step sections of docs/rehearse.md; --check only compares."""

from __future__ import annotations

import re
import sys
from inspect import getdoc

from tools.generated import ROOT, write
from trainc.rehearse.scenarios.registry import SCENARIOS
from trainc.rehearse.script import STEPS

PAGE = ROOT / "docs" / "rehearse.md"


def page(text: str) -> str:
    """Return the page with both sections up to date."""
    for name, content in (("scenarios", scenarios()), ("steps", steps())):
        start, end = f"<!-- {name} -->\n", "<!-- end -->"
        pattern = f"{re.escape(start)}.*?{re.escape(end)}"
        section = f"{start}\n{content}\n{end}".replace("\\", r"\\")
        text, count = re.subn(pattern, section, text, count=1, flags=re.DOTALL)
        if count != 1:
            raise ValueError(f"docs/rehearse.md has no section for {name}")
    return text


def scenarios() -> str:
    """Return a section for each scenario from its function's docstring."""
    parts = []
    for name, scenario in SCENARIOS.items():
        description, _, text = (getdoc(scenario.run) or "").partition("\n")
        parts.append(f"### {name}\n\n**{description}**\n{text}\n")
    return "\n".join(parts)


def steps() -> str:
    """Return a table of the steps and their fields."""
    lines = ["| step | fields; a single value is the first field's |", "|---|---|"]
    for step, fields in STEPS.items():
        lines.append(f"| `{step}` | {', '.join(f'`{name}`: {kind}' for name, kind in fields.items()) or 'none'} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the page, or with --check report whether it is up to date."""
    return write({PAGE: page(PAGE.read_text("utf-8"))}, "tools.rehearse_page")


if __name__ == "__main__":
    sys.exit(main())
