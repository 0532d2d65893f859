"""Writes the plan in docs/plan.md and the picture beside it; --check only compares."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import trainc
from trainc.plan.formats.svg import svg
from trainc.plan.formats.text import text
from trainc.plan.plan import Plan, plan

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "spot.yaml"
PAGE, PICTURE = ROOT / "docs" / "plan.md", ROOT / "docs" / "plan.svg"
_WIDTH = 100


def example() -> Plan:
    """What the page shows."""
    return plan(trainc.compile(EXAMPLE.read_bytes(), backend="statefulset", namespace="research").objects())


def page(given: str) -> str:
    """The page with the plan as it is now."""
    block = f"```text\n{text(example(), _WIDTH)}```"
    return re.sub(r"```text\n.*?```", lambda _: block, given, count=1, flags=re.DOTALL)


def main() -> int:
    """Write both files, or with --check say whether they are what would be written."""
    made = {PAGE: page(PAGE.read_text("utf-8")), PICTURE: svg([example()])}
    if "--check" in sys.argv[1:]:
        stale = [file.name for file, wanted in made.items() if file.read_text("utf-8") != wanted]
        if stale:
            print(f"docs: {', '.join(stale)}: run `python tools/plan_page.py`", file=sys.stderr)
        return 1 if stale else 0
    for file, wanted in made.items():
        file.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
