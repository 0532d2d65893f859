"""Write generated files, or with --check compare them."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def write(texts: dict[Path, str], tool: str) -> int:
    """Write the files that differ from their new texts, and return 0.

    With --check nothing is written: the files are named with the tool that generates them, `tools.NAME`, and 1 is
    returned if there are any.
    """
    stale = [file for file, text in texts.items() if not file.exists() or file.read_text("utf-8") != text]
    if "--check" not in sys.argv:
        for file in stale:
            file.write_text(texts[file], "utf-8")
        return 0
    for file in stale:
        print(f"{file.relative_to(ROOT)} is out of date: run python -m {tool}", file=sys.stderr)
    return 1 if stale else 0
