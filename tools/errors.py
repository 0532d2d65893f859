"""Writes docs/errors: a page for each code, with what trainc says of its wrong job; --check only compares."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support.catalogue import compiled
from trainc.catalogue.page import Page, all_codes, page
from trainc.diagnostics.text import render

FOLDER = Path(__file__).parent.parent / "docs" / "errors"
FAMILIES = {
    "1": "YAML",
    "2": "The schema",
    "3": "What the job means",
    "4": "Back ends and clusters",
    "5": "Other systems' jobs",
    "9": "trainc and its surroundings",
}


def pages() -> dict[str, str]:
    """File names and texts of the whole folder."""
    found = [page(code) for code in all_codes()]
    return {"README.md": index(found)} | {f"{one.code.id}.md": whole(one) for one in found}


def index(found: list[Page]) -> str:
    """The list of all codes, by family."""
    lines = [
        "# What trainc says",
        "",
        "Every message has a code. `trainc explain TC3003` shows its page in a terminal. This folder is generated.",
    ]
    for digit, title in FAMILIES.items():
        lines += ["", f"## {title}", "", "| code | name | |", "|---|---|---|"]
        lines += [
            f"| [{p.code.id}]({p.code.id}.md) | {p.code.name} | {p.title} |" for p in found if p.code.id[2] == digit
        ]
    return "\n".join(lines) + "\n"


def whole(found: Page) -> str:
    """A page with its code in the title, and what trainc says of the wrong job."""
    text = found.text.replace(f"# {found.title}\n", f"# {found.code.id} {found.code.name}: {found.title}\n", 1)
    wrong = found.example("Wrong")
    if wrong is None or wrong.language != "yaml":
        return text
    said = render(compiled(wrong)).rstrip("\n")
    head, heading, rest = text.partition("\n## Right\n")
    return f"{head}\ntrainc {' '.join(['check', *wrong.options])} says:\n\n```text\n{said}\n```\n{heading}{rest}"


def main() -> int:
    """Write the folder, or with --check say whether it is what would be written."""
    wanted = pages()
    there = {file.name: file.read_text("utf-8") for file in FOLDER.glob("*.md")}
    if there == wanted:
        return 0
    if "--check" in sys.argv:
        print("docs/errors is not what the catalogue says: run python -m tools.errors", file=sys.stderr)
        return 1
    FOLDER.mkdir(exist_ok=True)
    for name in there.keys() - wanted.keys():
        (FOLDER / name).unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
