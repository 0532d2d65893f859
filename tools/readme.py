"""Fill README.md with its example job and the diagnostics of the broken variant, docs/back-ends.md with its tables.

With --check only compare. Both fail if the back ends in docs/back-ends.md are not those of the registry.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools import launcher_table
from tools.generated import ROOT, write
from tools.system_table import table
from trainc.systems.registry import DEFAULT, NAMES, traits

README, BACK_ENDS = ROOT / "README.md", ROOT / "docs" / "back-ends.md"
JOB, MANIFESTS = ROOT / "examples" / "torchrun.yaml", ROOT / "golden" / "torchrun" / "job.yaml"
# Value of the example and the value that breaks it.
CORRECT, BROKEN = "gpu: 8", "gpu: 4"
COMMAND = "$ trainc check job.yaml\n"
OMITTED = "# ..."
JOB_BLOCK = rf"(```yaml\n# {JOB.relative_to(ROOT)}\n)(.*?)(```)"
TABLE_BLOCK = "(<!-- systems -->\n)(.*?)(<!-- end -->)"
LAUNCHERS_BLOCK = "(<!-- launchers -->\n)(.*?)(<!-- end -->)"
CHECK_BLOCK = rf"(```console\n{re.escape(COMMAND)})(.*?)(```)"
MANIFEST_BLOCK = r"\(shortened\):\n\n```yaml\n(.*?)```"


def page(text: str) -> str:
    """Return the README with the job and the diagnostics of the repository's state."""
    job = "".join(line for line in JOB.read_text().splitlines(keepends=True) if not line.startswith("#"))
    output = check(f"# {JOB.relative_to(ROOT)}\n{job.replace(CORRECT, BROKEN)}")
    return fill(fill(text, JOB_BLOCK, job), CHECK_BLOCK, output)


def tables(text: str) -> str:
    """Return the page of back ends with the tables of systems and launchers."""
    return fill(fill(text, TABLE_BLOCK, f"{table()}\n"), LAUNCHERS_BLOCK, f"{launcher_table.table()}\n\n")


def check(job: str) -> str:
    """Return what the README's command prints for a job."""
    with TemporaryDirectory() as folder:
        Path(folder, "job.yaml").write_text(job)
        command = [sys.executable, "-m", "trainc", *COMMAND.split()[2:], "--message-format", "full"]
        return subprocess.run(
            command, cwd=folder, env={"NO_COLOR": "1"}, stderr=subprocess.PIPE, text=True, check=False
        ).stderr


def fill(text: str, block: str, content: str) -> str:
    """Return the text with the content of a block replaced; ValueError if the block is missing."""
    text, count = re.subn(block, lambda match: match[1] + content + match[3], text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"no block {block}")
    return text


def missing_lines(text: str) -> list[str]:
    """Return the lines of the shortened manifest that the golden file doesn't have in this order."""
    match = re.search(MANIFEST_BLOCK, text, re.DOTALL)
    golden = iter(MANIFESTS.read_text().splitlines())
    shortened = match[1].splitlines() if match else ["(no manifest)"]
    return [line for line in shortened if line != OMITTED and line not in golden]


def wrong_names() -> list[str]:
    """Return the back ends in the first table of docs/back-ends.md that differ from the registry."""
    first = BACK_ENDS.read_text().partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)`( \(default\))? \| ([^|]*) \|", first, re.MULTILINE)
    systems = {f"`{name}`{default}": emits for name, default, emits in rows}
    kinds = {f"`{name}`{' (default)' if name == DEFAULT else ''}": traits(name).kind for name in NAMES}
    return sorted(name for name in kinds.keys() | systems.keys() if kinds.get(name, "-") not in systems.get(name, ""))


def main() -> int:
    """Write both pages, or with --check report whether they are up to date."""
    missing = missing_lines(README.read_text())
    if missing:
        print(f"README.md: {MANIFESTS.relative_to(ROOT)} has no line `{missing[0]}` here", file=sys.stderr)
        return 1
    if names := wrong_names():
        print(f"docs/back-ends.md: {names[0]} is missing or unknown", file=sys.stderr)
        return 1
    texts = {file: generate(file.read_text("utf-8")) for file, generate in ((README, page), (BACK_ENDS, tables))}
    return write(texts, "tools.readme")


if __name__ == "__main__":
    sys.exit(main())
