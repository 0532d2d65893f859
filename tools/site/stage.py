"""Pages of the site in one folder: docs/, the pages elsewhere in the checkout, and links that open the playground."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tools.site.fragment import fragment
from tools.site.links import DOCS, OUTSIDE, ROOT, rewrite
from tools.site.lists import indent_lists
from trainc.pages import Example, all_codes, page

_ROW = re.compile(r"^\| \[(?P<name>[\w-]+)\]\((?P=name)\.yaml\)", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n+", re.DOTALL)
# What the playground has fields for; other options of an example's command are not in the link.
_OPTIONS = {"--backend": "backend", "--kubernetes-version": "kubernetes", "--namespace": "namespace"}


def stage(folder: Path, playground: Path) -> None:
    """Write all pages and files of the site to a new folder; `playground` is its built form."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder)
    shutil.copytree(playground, folder / "playground")
    shutil.copy(Path(__file__).with_name("site.css"), folder)
    (folder / "adr" / "README.md").write_text(decisions(), "utf-8")
    origins = {file: DOCS / file.relative_to(folder) for file in folder.rglob("*.md")}
    for name, target in OUTSIDE.items():
        if target.endswith(".md") and target != "README.md":
            (folder / target).parent.mkdir(exist_ok=True)
            shutil.copyfile(ROOT / name, folder / target)
            origins[folder / target] = ROOT / name
    for file, origin in sorted(origins.items()):
        text = _FRONT_MATTER.sub("", file.read_text("utf-8"))
        file.write_text(indent_lists(rewrite(text, origin, file, folder)), "utf-8")
    for code in all_codes():
        file = folder / "errors" / f"{code.id}.md"
        examples = [(heading, page(code).example(heading)) for heading in ("Wrong", "Right")]
        file.write_text(open_examples(file.read_text("utf-8"), examples), "utf-8")
    index = folder / "examples" / "README.md"
    index.write_text(_ROW.sub(_row, index.read_text("utf-8")), "utf-8")
    agents = folder / "llms.txt"
    text = re.sub(r"(README)?\.md\)", _built, _agent_links(agents.read_text("utf-8")))
    agents.write_text(text.replace("]()", "](./)"), "utf-8")


def decisions() -> str:
    """Return the index of the design decisions."""
    lines = ["# Design decisions", "", "Decisions that later changes have to know, with what was rejected.", ""]
    for file in sorted((DOCS / "adr").glob("0*.md")):
        title = file.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        lines.append(f"- [{title.replace('. ', ' · ', 1)}]({file.name})")
    return "\n".join(lines) + "\n"


def open_examples(text: str, examples: list[tuple[str, Example | None]]) -> str:
    """Return the page of a code with a link below each job that opens it in the playground."""
    for heading, example in examples:
        if example and example.language == "yaml":
            block = f"```yaml\n{example.text}```\n"
            start = text.index(block, text.index(f"## {heading}\n")) + len(block)
            text = f"{text[:start]}\n[Open in playground](../playground/index.html{_fragment(example)})\n{text[start:]}"
    return f"{text}\n[All rules](README.md)\n"


def _fragment(example: Example) -> str:
    """Return the fragment of a job with the options of its command."""
    words = [word for option in example.command[1:] for word in option.split("=", 1)]
    pairs = zip(words[::2], words[1::2], strict=False)
    return fragment(example.text, **{_OPTIONS[name]: value for name, value in pairs if name in _OPTIONS})


def _row(match: re.Match[str]) -> str:
    """Return the first cell of an example's row with a link that opens it in the playground."""
    text = (ROOT / "examples" / f"{match['name']}.yaml").read_text("utf-8")
    return f"{match[0]} ([open](../playground/index.html{fragment(text)}))"


def _agent_links(text: str) -> str:
    """Return llms.txt with links to pages outside docs/ at their places in the site."""
    for name, target in OUTSIDE.items():
        text = text.replace(f"](../{name})", f"]({target})")
    return text


def _built(match: re.Match[str]) -> str:
    """Return the end of a link to a built page."""
    return ")" if match[1] else "/)"
