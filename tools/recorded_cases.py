"""File in which a tool records what launchers decide about command lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path


def write_or_check(file: Path, record: Mapping[str, object]) -> int:
    """Write the record; with --check print the cases that differ from the file, and return 1 if there are any."""
    if "--check" not in sys.argv:
        file.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
        return 0
    recorded = json.loads(file.read_text("utf-8"))
    different = [case for case in {**recorded, **record} if recorded.get(case) != record.get(case)]
    print("\n".join(different), end="", file=sys.stderr)
    return 1 if different else 0
