"""Programs of JAX that do not find their place in the world: calls without arguments, and what differs on TPUs.

https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/distributed.py, jax.distributed.initialize
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.checks.shared.program_command import program_command
from trainc.commandline.word import Places
from trainc.launchers.jax.spec import Jax
from trainc.launchers.jax.traits import PROCESS_ID, PROCESSES
from trainc.record import Record
from trainc.source.node import mappings, scalar_text
from trainc.span import Span
from trainc.spec.section import inside
from trainc.tpu import TPU

TRIGGERS = ("launch.jax",)

_VARIABLES = {"num_processes": PROCESSES, "process_id": PROCESS_ID}
_READS = re.compile(rf"""environ\[["']({PROCESSES}|{PROCESS_ID})["']\]""")
# Positions of the arguments that tell a process its place in the world.
_PLACES = {"num_processes": 1, "process_id": 2}
_MAX_TEXT = 200_000  # characters, beyond which a file is not parsed
_FULL_NAME = "jax.distributed.initialize"
_BARE = re.compile(r"\bjax\.distributed\.initialize\(\s*\)")
_CALL = re.compile(r"\bjax\.distributed\.initialize\(")


class ProgramText(Record):
    """Text at a position; a local file has a name, and the position of the field that names it."""

    text: str
    where: Span
    file: str = ""

    def position(self, start: int, end: int) -> tuple[str, Span]:
        """Return the line of a part as the end of a message, empty on the command line, and the part's span."""
        if self.file:
            line = self.text.count("\n", 0, start) + 1
            return f" (line {line} of `{self.file}`)", self.where
        return "", Places(self.text, self.where).part(start, end) or self.where


def check(context: RuleContext) -> Diagnostics:
    yield from _bare_calls(context)
    if context.spec.resources.tpu is not None:
        yield from _on_tpus(context)


def _bare_calls(context: RuleContext) -> Diagnostics:
    """Report calls of jax.distributed.initialize without the number of processes and the process id.

    https://github.com/jax-ml/jax/issues/12415: JAX reads neither from the environment, and exits with a ValueError. A
    job with a service account may let JAX ask the API server: jax/_src/clusters/k8s_cluster.py. On TPUs JAX reads
    variables of GKE.
    """
    if context.job.account or TPU in context.pod.main.limits:
        return
    for program in program_texts(context):
        for call in bare_calls(program.text):
            place, where = program.position(call.start, call.end)
            missing = " and ".join(f"`{name}`" for name in call.missing)
            message = f"jax.distributed.initialize fails without {missing}, which no variable passes to it{place}"
            arguments = ", ".join(f'{name}=int(os.environ["{_VARIABLES[name]}"])' for name in call.missing)
            yield error(codes.BARE_INITIALIZE, message, where, help=f"pass `{arguments}`")


def _on_tpus(context: RuleContext) -> Diagnostics:
    """Report several processes on a host, and texts of the program that require variables of other machines.

    https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/clusters/cloud_tpu_cluster.py
    """
    launch = context.spec.launch
    assert isinstance(launch, Jax)
    if launch.requested_processes > 1:
        message = f"{launch.requested_processes} processes per worker: on TPUs one process has all chips of its host"
        yield error(codes.JAX_ON_TPUS, message, launch.where("nprocPerNode"), help="remove it")
    for program in program_texts(context):
        if match := _READS.search(program.text):
            place, where = program.position(match.start(), match.end())
            message = f"`{match[1]}` is not set on TPUs, where JAX finds its place itself{place}"
            yield error(codes.JAX_ON_TPUS, message, where, help="call `jax.distributed.initialize()`")


def program_texts(context: RuleContext) -> Iterator[ProgramText]:
    """Yield the arguments that may be scripts, and the Python files that the training container mounts."""
    for word in program_command(context).argv:
        if word.known and word.span is not None and "(" in word.text:
            yield ProgramText(text=word.text, where=word.span)
    for files in context.job.file_maps:
        for name, content in files.contents.items():
            if name.endswith(".py"):
                yield ProgramText(text=content.decode(errors="replace"), where=files.origin, file=name)
    volumes = mappings(context.pod.spec.get("volumes"))
    mounted = {scalar_text(inside(volume, "configMap").get("name")) for volume in volumes}
    for name, texts in context.config_maps.items():
        for key, text in texts.items() if name in mounted else ():
            if key.endswith(".py"):
                yield ProgramText(text=text, where=text.span)


class BareCall(Record):
    """Call without arguments that it needs: its first and last index in the text, and the names of the arguments."""

    start: int
    end: int
    missing: tuple[str, ...]


def bare_calls(text: str) -> Iterator[BareCall]:
    """Yield the calls that lack arguments; none if another call in the text has them.

    A call that detects the cluster by a method of its own, or has arguments that the text doesn't show, lacks none.
    """
    if "distributed" not in text or "initialize" not in text or len(text) > _MAX_TEXT:
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from _in_other_text(text)
        return
    names = _function_names(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _dotted_name(node.func) in names]
    if all(_lacks(call) for call in calls):
        for call in calls:
            start = _index(text, call.lineno, call.col_offset)
            end = _index(text, call.end_lineno or call.lineno, call.end_col_offset or 0)
            yield BareCall(start=start, end=end, missing=_lacks(call))


def _index(text: str, line: int, column: int) -> int:
    """Return the index of a position of Python's parser, whose columns are bytes."""
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode(errors="replace"))


def _function_names(tree: ast.AST) -> set[str]:
    """Return how the text calls the function: by its full name, and by those that it imports."""
    names = {_FULL_NAME}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("jax", "jax.distributed"):
            wanted, rest = ("distributed", ".initialize") if node.module == "jax" else ("initialize", "")
            names |= {f"{alias.asname or alias.name}{rest}" for alias in node.names if alias.name == wanted}
        if isinstance(node, ast.Import):
            aliases = {alias.asname for alias in node.names if alias.name == "jax" and alias.asname}
            names |= {f"{alias}.distributed.initialize" for alias in aliases}
    return names


def _dotted_name(node: ast.expr) -> str:
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _lacks(call: ast.Call) -> tuple[str, ...]:
    keywords = {keyword.arg for keyword in call.keywords}
    is_open = None in keywords or any(isinstance(each, ast.Starred) for each in call.args)
    if is_open or "cluster_detection_method" in keywords or len(call.args) > 4:
        return ()
    return tuple(name for name, place in _PLACES.items() if name not in keywords and len(call.args) <= place)


def _in_other_text(text: str) -> Iterator[BareCall]:
    """Yield the calls without any argument in a text that is no Python, such as a shell's script."""
    bare = list(_BARE.finditer(text))
    if len(bare) == len(_CALL.findall(text)):
        for match in bare:
            yield BareCall(start=match.start(), end=match.end(), missing=tuple(_PLACES))
