"""Generate the plan in docs/plan.md and its picture, docs/plan.svg. With --check only compare."""

from __future__ import annotations

import re
import sys

import trainc
from tools.generated import ROOT, write
from trainc.plan.formats.report import report
from trainc.plan.formats.svg import svg
from trainc.plan.plan import Plan, plan
from trainc.report.text import text

EXAMPLE = ROOT / "examples" / "spot.yaml"
PAGE, PICTURE = ROOT / "docs" / "plan.md", ROOT / "docs" / "plan.svg"
_WIDTH = 100


def example() -> Plan:
    """Return the plan that the page shows."""
    return plan(trainc.compile(EXAMPLE.read_bytes(), backend="statefulset", namespace="research").objects())


def page(current: str) -> str:
    """Replace the plan in the page's text."""
    block = f"```text\n{text([report(example())], _WIDTH)}```"
    return re.sub(r"```text\n.*?```", lambda _: block, current, count=1, flags=re.DOTALL)


def main() -> int:
    """Write both files, or with --check report which are not up to date."""
    return write({PAGE: page(PAGE.read_text("utf-8")), PICTURE: svg([example()])}, "tools.plan_page")


if __name__ == "__main__":
    sys.exit(main())
