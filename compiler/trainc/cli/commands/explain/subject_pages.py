"""`trainc explain`: a code, a field of the language, a topic or a system, for a terminal."""

from __future__ import annotations

import json
import os
import re
import shutil
import textwrap
from inspect import cleandoc

from trainc.checks.plugin_rules import plugin_codes
from trainc.checks.registry import PACKAGES
from trainc.cli.commands import COMMANDS
from trainc.cli.commands.explain import Options
from trainc.cli.commands.explain.search import no_result, search
from trainc.cli.commands.explain.system_pages import system_page
from trainc.cli.exit_codes import OK
from trainc.cli.parameters import InvalidConfiguration, InvalidParameter
from trainc.cli.settings import Configuration
from trainc.cli.streams import to_stdout
from trainc.diagnostics.codes import Code
from trainc.pages import all_codes, page, topic, topics
from trainc.schema.cures.aliases import fields_called
from trainc.schema.documents import JOB, document
from trainc.schema.fields import WORDS, Field, UnknownField, field, kind, paths_by_name
from trainc.schema.hints import nearest
from trainc.systems.registry import NAMES

_MAX_WIDTH = 100
_LINE = re.compile(r"[!-~]+\.\w+:\d+")
_LINK = re.compile(r"\[(?P<text>[^][]+)\]\((?P<target>[^()\s]+)\)")


def explain(options: Options) -> int:
    """Print the explanation of a subject or a line, or the list of subjects; return the exit code."""
    subject, project = options.subject, options.project
    if options.manifest is not None:
        if options.source_map is not None and subject is not None:
            raise InvalidParameter("a job file and --source-map conflict", "SUBJECT")
        from trainc.cli.commands.explain.manifest_line import explain_line

        return explain_line(options.manifest, options.source_map, subject, project)
    if options.source_map is not None:
        raise InvalidParameter("requires --manifest", "--source-map")
    to_stdout(_contents(project) if subject is None else _about(subject, project))
    return OK


def _about(subject: str, configuration: Configuration) -> str:
    plugins = _plugin_codes(configuration)
    known = [*all_codes(), *plugins]
    code = next((code for code in known if subject.upper() == code.id or subject.lower() == code.name), None)
    if code in plugins:
        return markdown(f"# {code.id} {code.name}\n\n{cleandoc(plugins[code])}\n\nSee {code.url}")
    if code is not None:
        explanation = page(code)
        return markdown(f"# {code.id} {code.name}: {explanation.title}\n{explanation.body}")
    if subject in topics():
        return markdown(topic(subject))
    try:
        return _field(field(subject))
    except UnknownField as problem:
        return _of_other_name(subject, problem, known, plugins)


def _plugin_codes(configuration: Configuration) -> dict[Code, str]:
    """Return the codes of plug-ins, and of the checks of the project of the working directory, if it is valid."""
    try:
        projects = configuration.projects(["-"])
    except InvalidConfiguration:
        projects = None
    own = projects.check_packages("-") if projects else ()
    return plugin_codes(",".join(filter(None, (os.environ.get(PACKAGES, ""), *own))))


def _of_other_name(subject: str, problem: UnknownField, known: list[Code], plugins: dict[Code, str]) -> str:
    """Explain a system, a field by its name alone, or what the texts say about a word."""
    if text := system_page(subject):
        return markdown(text)
    places = paths_by_name(subject)
    if len(places) == 1:
        return _field(field(places[0]))
    is_command = subject in COMMANDS
    hint = _hint(subject, problem, [] if is_command else [*(code.name for code in known), *topics(), *NAMES])
    text = search(subject, plugins) if hint is None else ""
    if text:
        return text
    of_command = f"`trainc {subject} --help` describes the command" if is_command else None
    hint = hint or of_command or no_result(subject, plugins)
    raise InvalidParameter(f"unknown subject {subject!r}: {hint}", "SUBJECT") from None


def _hint(subject: str, problem: UnknownField, names: list[str]) -> str | None:
    """Return the subject that was probably intended, or where it may be listed; None if nothing has such a name."""
    if _LINE.fullmatch(subject):
        return f"use `trainc explain --manifest {subject}` for a line of a manifest"
    last = subject.rpartition(".")[2]
    called = " or ".join(paths_by_name(subject) or fields_called(subject)[:1])
    moved = " or ".join(paths_by_name(last) or fields_called(last)[:1]) if problem.parent else ""
    if suggestion := called or problem.suggestion or moved or nearest(subject, names):
        return f"did you mean {suggestion}?"
    if problem.parent:
        return f"`trainc explain {problem.parent}` lists its fields"
    return None


def _contents(configuration: Configuration) -> str:
    lines = ["Codes, by `trainc explain TC3001` or by name:", ""]
    lines += [f"  {code.id}  {code.name:<28}  {page(code).title}" for code in all_codes()]
    plugins = _plugin_codes(configuration)
    lines += [f"  {code.id}  {code.name:<28}  {(text.splitlines() or [code.url])[0]}" for code, text in plugins.items()]
    lines += ["", "Fields: `trainc explain spec`, then a path such as `trainc explain spec.launch.torchrun`", ""]
    lines += ["Topics: " + ", ".join(topics()), ""]
    lines += ["Systems: `trainc explain backends`, then `trainc explain NAME`", ""]
    return "\n".join(lines)


def _field(item: Field) -> str:
    lines = [f"FIELD: {item.path or 'TrainingJob'} <{_kind(item)}>{_marks(item)}", ""]
    if item.description:
        lines += [_filled(item.description), ""]
    if examples := item.schema.get("examples"):
        lines += [f"Example: {_typed(examples[0])}", ""]
    children = item.children()
    if children:
        lines.append("FIELDS:")
    for child in children:
        name = child.path.rpartition(".")[2]
        lines.append(f"  {name} <{_kind(child)}>{_marks(child)}")
        if child.description:
            lines.append(_filled(child.description, "    "))
    if children:
        lines.append("")
    elif item.base != JOB:
        lines += ["A field of Kubernetes: see `kubectl explain`.", ""]
    return "\n".join(lines)


def _kind(item: Field) -> str:
    definitions = document(JOB)["definitions"]
    return kind(item.schema, lambda name: WORDS.get(name, "mapping" if name in definitions else name)).replace("`", "")


def _marks(item: Field) -> str:
    default = f"  default: {_typed(item.schema['default'])}" if "default" in item.schema else ""
    return ("  required" if item.required and item.path else "") + default


def _typed(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def markdown(text: str) -> str:
    """Return Markdown for a terminal: bare headings and links, indented code, paragraphs as wide as the window."""
    shown = []
    for part in re.split(r"(^```.*?^```$)", text.strip("\n"), flags=re.MULTILINE | re.DOTALL):
        if part.startswith("```"):
            shown.append(textwrap.indent(part.partition("\n")[2].removesuffix("```"), "    ").rstrip())
        else:
            shown += [_paragraph(block) for block in re.split(r"\n{2,}", _LINK.sub(_link, part)) if block.strip()]
    return "\n\n".join(shown) + "\n"


def _link(link: re.Match[str]) -> str:
    """Return the text of a link, and what opens its page."""
    folder, _, page = link["target"].rpartition("/")
    if ":" in folder:
        return f"{link['text']} ({link['target']})"
    subject = page.removesuffix(".md")
    return f"{link['text']} (`trainc explain {subject}`)" if folder.endswith("topics") else link["text"]


def _paragraph(block: str) -> str:
    block = block.strip("\n")
    if block.startswith("#"):
        return block.lstrip("# ")
    if block.startswith("|"):
        return block
    # Indented lines continue a list item.
    return "\n".join(_filled(" ".join(item.split())) for item in re.split(r"\n(?=- )", block))


def _filled(text: str, indent: str = "") -> str:
    dash, body = ("- ", text[2:]) if text.startswith("- ") else ("", text)
    width = min(shutil.get_terminal_size().columns, _MAX_WIDTH) - len(indent + dash)
    lines = textwrap.wrap(body, width, break_long_words=False, break_on_hyphens=False)
    return f"\n{indent}{' ' * len(dash)}".join([indent + dash + lines[0], *lines[1:]])
