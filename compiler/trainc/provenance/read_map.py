"""Read source maps from texts."""

from __future__ import annotations

import json

from trainc.provenance.source_map import VERSION
from trainc.typenames import Any


def read_map(text: str) -> dict[str, Any] | None:
    """Return a source map, None for anything else."""
    try:
        document: dict[str, Any] = json.loads(text)
        places, rules = document["places"], document["rules"]
        for file in document["files"]:
            _ = [places[option["place"]] for job in file.get("jobs", []) for option in job["options"]]
            _ = [job["line"] + job["end"] for job in file.get("jobs", [])]
            for line in file["lines"]:
                numbers = [*line["values"], *line["conditions"]]
                _ = [places[number]["input"] for number in numbers], rules[line.get("rule", -1)] if rules else None
                _ = line["line"] + line["end"], line["object"] + line["pointer"]
        _ = [document["inputs"][place["input"]] for place in places]
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    return document if document.get("version") == VERSION else None
