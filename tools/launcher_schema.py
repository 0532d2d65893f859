"""Generate the launchers' part of schemas/trainingjob.json and docs/launchers.md; --check compares only.

Both come from the options tables, compiler/trainc/launchers/<name>/options.py.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from tools.generated import ROOT, write
from trainc.launchers import registry
from trainc.launchers.option import Option

SCHEMA, PAGE = ROOT / "schemas" / "trainingjob.json", ROOT / "docs" / "launchers.md"
WIDTH = 120

HEAD = """\
# Launcher options

This page says which field of a job file sets an option of a launcher. [Back ends](back-ends.md#launchers) has what each
launcher starts and where it runs, the [reference](reference.md#launch) the fields with their values.

| *set by* | meaning |
|---|---|
| a field, such as `workers` | trainc passes its value as this option, or as the variable |
| other text | trainc sets the option itself, or nothing can set it; the text names the reason or the field instead |
| nothing | no field: `launch.LAUNCHER.otherArgs` takes the option as it is. torchrun has none: trainc sets its \
`--master_addr` and `--node_rank` where the rendezvous needs them |

An option without a version in *since* exists in all versions that trainc supports.
"""


def schema_text(text: str) -> str:
    """Return the schema with the definitions of all launchers replaced."""
    for launcher in registry.FIELDS:
        for name, schema in registry.definitions(launcher).items():
            block = re.compile(rf'^    "{name}": (\{{\}}|\{{\n.*?^    \}})', re.MULTILINE | re.DOTALL)
            (match,) = block.finditer(text)
            text = f'{text[: match.start()]}    "{name}": {_format(schema, 4)}{text[match.end() :]}'
    return text


def _format(value: Any, indent: int) -> str:
    """Return JSON, each object on one line where it fits."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict) or (len(line) + indent <= WIDTH and indent > 8):
        return line
    pad = " " * (indent + 2)
    inner = ",\n".join(f"{pad}{json.dumps(key)}: {_format(item, indent + 2)}" for key, item in value.items())
    return f"{{\n{inner}\n{' ' * indent}}}"


def page() -> str:
    """Return the page of all options."""
    return HEAD + "".join(_section(name) for name in registry.FIELDS if _options(name))


def _options(name: str) -> tuple[Option, ...]:
    return getattr(registry.part(name, "options"), "OPTIONS", ())


def _section(name: str) -> str:
    product = registry.part(name, "options").PRODUCT
    rows = [
        f"| {', '.join(f'`{flag}`' for flag in row.flags)} | {f'`{row.variable}`' if row.variable else ''} "
        f"| {row.since} | {_setter(row)} |"
        for row in _options(name)
    ]
    head = f"\n## {name}\n\n| option | variable | since {product} | set by |\n|---|---|---|---|\n"
    return head + "\n".join(rows) + "\n"


def _setter(row: Option) -> str:
    if row.field:
        return f"`{row.field}`"
    instead = getattr(row, "instead", "")
    return str(instead).removeprefix("nothing: ") or ("" if row.in_pod else "not used in a pod")


def main() -> int:
    """Write both files, or compare them with --check."""
    return write({SCHEMA: schema_text(SCHEMA.read_text("utf-8")), PAGE: page()}, "tools.launcher_schema")


if __name__ == "__main__":
    sys.exit(main())
