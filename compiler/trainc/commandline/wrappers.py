"""Wrapper commands, which start the rest of their line: env, exec, numactl, nsys, timeout and others."""

from __future__ import annotations

from trainc.commandline.argparse import parse, table
from trainc.commandline.shell import Variables
from trainc.commandline.word import Word

# Wrapper: its switches, its options with a value, and its number of positional arguments.
_WRAPPERS: dict[str, tuple[str, str, int]] = {
    "exec": ("-c -l", "-a", 0),
    "command": ("-p", "", 0),
    "nohup": ("", "", 0),
    "time": ("-p -v", "-f -o", 0),
    "nice": ("", "-n|--adjustment", 0),
    "ionice": ("-t", "-c|--class -n|--classdata", 0),
    "setsid": ("-c|--ctty -f|--fork -w|--wait", "", 0),
    "stdbuf": ("", "-i|--input -o|--output -e|--error", 0),
    "timeout": ("--foreground --preserve-status -v|--verbose", "-k|--kill-after -s|--signal", 1),
    "taskset": ("-a|--all-tasks", "-c|--cpu-list", 0),
    "numactl": (
        "-l|--localalloc",
        "-i|--interleave -m|--membind -N|--cpunodebind -C|--physcpubind -p|--preferred -P|--preferred-many",
        0,
    ),
    "tini": ("-g -s -v -w", "-p -e", 0),
    "dumb-init": ("-c|--single-child -v|--verbose", "-r|--rewrite", 0),
    "catchsegv": ("", "", 0),
    # https://awsdocs-neuron.readthedocs-hosted.com/en/latest/frameworks/torch/torch-neuronx/api-reference-guide/training/pytorch-neuron-parallel-compile.html
    "neuron_parallel_compile": ("", "--command --num_parallel", 0),
}
_RUNNERS: dict[str, tuple[str, str]] = {
    "conda": ("--no-capture-output --live-stream", "-n|--name -p|--prefix --cwd"),
    "micromamba": ("", "-n|--name -p|--prefix --cwd"),
    "poetry": ("", ""),
    "pipenv": ("", ""),
    "uv": ("--no-sync --frozen --locked", "--with --python|-p"),
}


def unwrap(name: str, words: list[Word], env: Variables) -> list[Word] | None:
    """Return the words after a wrapper and its options, None for an unknown one. Its variables are added to `env`."""
    if name == "env":
        return _unwrap_env(words, env)
    if name == "nsys":
        return _unwrap_nsys(words)
    skipped = 0
    if name in _RUNNERS and words and words[0].text == "run":
        (flags, values), words = _RUNNERS[name], words[1:]
    elif name in _WRAPPERS:
        flags, values, skipped = _WRAPPERS[name]
    else:
        return None
    parsed = parse(table(flags, values, abbreviates=False), words)
    return list(parsed.program[skipped:]) if parsed.complete else None


def _unwrap_env(words: list[Word], env: Variables) -> list[Word] | None:
    """`env A=b command`: https://www.gnu.org/software/coreutils/manual/html_node/env-invocation.html"""
    parsed = parse(table("-0|--null -v|--debug", "-u|--unset -C|--chdir", abbreviates=False), words)
    if not parsed.complete:
        return None
    command = list(parsed.program)
    unset = parsed.options.get("unset")
    if unset is not None and unset.value is not None:
        env[unset.value.text] = None
    while command and "=" in command[0].text:
        assignment = command.pop(0)
        variable, _, value = assignment.text.partition("=")
        env[variable] = assignment.replace(text=value)
    return command


def _unwrap_nsys(words: list[Word]) -> list[Word] | None:
    """Return the program that `nsys profile` or `nsys launch` starts.

    Every option has a value, after a space or, if the option is long, after `=`:
    https://docs.nvidia.com/nsight-systems/UserGuide/index.html#command-line-options
    """
    if not words or words[0].text not in ("profile", "launch"):
        return None
    rest = words[1:]
    while rest and rest[0].known and rest[0].text.startswith("-"):
        is_attached = rest[0].text.startswith("--") and "=" in rest[0].text
        rest = rest[1 if is_attached else 2 :]
    return rest
