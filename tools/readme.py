"""Puts the job of examples/torchrun.yaml and its manifests into README.md; --check only compares."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
JOB, MANIFESTS = ROOT / "examples" / "torchrun.yaml", ROOT / "golden" / "torchrun" / "job.yaml"
BLOCK = r"(## {}.*?```yaml\n)(.*?)(```)"


def page(text: str) -> str:
    """The README with both blocks as they are in the repository."""
    job = "".join(line for line in JOB.read_text().splitlines(keepends=True) if not line.startswith("#"))
    text = filled(text, "What goes in", f"# {JOB.relative_to(ROOT)}\n{job}")
    return filled(text, "What comes out", MANIFESTS.read_text())


def filled(text: str, heading: str, content: str) -> str:
    """The text with another content of the first block under a heading."""
    text, count = re.subn(BLOCK.format(heading), lambda found: found[1] + content + found[3], text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"README.md has no block under {heading}")
    return text


def main() -> int:
    """Write the README, or with --check say whether it is up to date."""
    old = README.read_text()
    new = page(old)
    if "--check" not in sys.argv:
        README.write_text(new)
    elif old != new:
        print("README.md does not show what trainc compiles: run python tools/readme.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
