"""Write docs/errors/README.md, the index of the error pages; --check only compares."""

from __future__ import annotations

import sys

from tools.generated import ROOT, write
from trainc.pages import Page, all_codes, page

INDEX = ROOT / "docs" / "errors" / "README.md"
FAMILIES = {
    "1": "YAML",
    "2": "Schema",
    "3": "Meaning of the job",
    "4": "Back ends and clusters",
    "5": "Imported jobs, and local files",
    "6": "Project files and policies",
    "7": "Clusters",
    "9": "trainc itself",
}


def index() -> str:
    """Return the list of all codes, by family."""
    pages = [page(code) for code in all_codes()]
    lines = [
        "# Error codes",
        "",
        "Every diagnostic has a code and a page. `trainc explain TC3003` prints its page in a terminal.",
        "`tools/errors.py` generates this index from the titles of the pages.",
        "",
        "`trainc check --fix` applies fixes that keep the job's meaning. Fixes that may change what the job does are",
        "*unsafe*, and need `--unsafe-fixes`. A fix is offered only where an edit of the file removes the finding and",
        "adds no other.",
    ]
    for digit, title in FAMILIES.items():
        lines += ["", f"## {title}", "", "| code | name | | fix |", "|---|---|---|---|"]
        family = [each for each in pages if each.code.id[2] == digit]
        lines += [f"| [{p.code.id}]({p.code.id}.md) | {p.code.name} | {p.title} | {_fix(p)} |" for p in family]
    return "\n".join(lines) + "\n"


def _fix(page: Page) -> str:
    """Return which fixes a page names."""
    if "check --fix" not in page.why:
        return ""
    if "--unsafe-fixes" not in page.why:
        return "fixable"
    return "*unsafe*" if "check --fix --unsafe-fixes" in page.why else "fixable, *unsafe*"


def main() -> int:
    """Write the index, or with --check report whether it is up to date."""
    return write({INDEX: index()}, "tools.errors")


if __name__ == "__main__":
    sys.exit(main())
