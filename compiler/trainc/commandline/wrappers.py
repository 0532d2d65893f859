"""Wrapper commands, which start the rest of their line: env, exec, numactl, nsys, timeout and others.

Each wrapper has the options of its own parser, from its `--help` as executed in the named version unless the source
says otherwise. With an option that is not in the table, it is not known what the wrapper starts.
"""

from __future__ import annotations

from trainc.commandline.argparse import Table, parse, table
from trainc.commandline.shell import Variables
from trainc.commandline.word import UNKNOWN, Word
from trainc.record import Record


class Wrapper(Record):
    """Options of a wrapper: switches, options with a value, and options whose value must be attached.

    `positionals` are the arguments between the options and the command.
    """

    source: str
    flags: str = ""
    values: str = ""
    optional: str = ""
    positionals: int = 0
    abbreviates: bool = True

    @property
    def table(self) -> Table:
        """Options for the argv parser."""
        return table(self.flags, self.values, self.abbreviates, optional=self.optional)


_COREUTILS, _UTIL_LINUX = "GNU coreutils 9.1", "util-linux 2.38.1"
WRAPPERS: dict[str, Wrapper] = {
    "exec": Wrapper(source="bash 5.2, help exec", flags="-c -l", values="-a"),
    "command": Wrapper(source="bash 5.2, help command", flags="-p"),
    "time": Wrapper(
        source="GNU time 1.9",
        flags="-a|--append -p|--portability -q|--quiet -v|--verbose",
        values="-f|--format -o|--output",
    ),
    "nohup": Wrapper(source=_COREUTILS),
    "nice": Wrapper(source=_COREUTILS, values="-n|--adjustment"),
    "stdbuf": Wrapper(source=_COREUTILS, values="-i|--input -o|--output -e|--error"),
    "timeout": Wrapper(
        source=_COREUTILS,
        flags="--foreground --preserve-status -v|--verbose",
        values="-k|--kill-after -s|--signal",
        positionals=1,
    ),
    "ionice": Wrapper(source=_UTIL_LINUX, flags="-t|--ignore", values="-c|--class -n|--classdata"),
    "setsid": Wrapper(source=_UTIL_LINUX, flags="-c|--ctty -f|--fork -w|--wait"),
    "taskset": Wrapper(source=_UTIL_LINUX, flags="-a|--all-tasks -c|--cpu-list", positionals=1),
    "chrt": Wrapper(
        source=_UTIL_LINUX,
        flags="-a|--all-tasks -b|--batch -d|--deadline -f|--fifo -i|--idle -o|--other -r|--rr -R|--reset-on-fork"
        " -v|--verbose",
        values="-T|--sched-runtime -P|--sched-period -D|--sched-deadline",
        positionals=1,
    ),
    "numactl": Wrapper(
        source="numactl 2.0.16",
        flags="-a|--all -b|--balancing -l|--localalloc",
        values="-i|--interleave -m|--membind -N|--cpunodebind -c|--cpubind -C|--physcpubind -p|--preferred"
        " -P|--preferred-many",
    ),
    "tini": Wrapper(source="tini 0.19.0", flags="-g -s -v -w", values="-p -e"),
    "dumb-init": Wrapper(source="dumb-init 1.2.5", flags="-c|--single-child -v|--verbose", values="-r|--rewrite"),
    "catchsegv": Wrapper(source="glibc 2.34, catchsegv(1)"),
    "ncu": Wrapper(
        source="Nsight Compute 2022.3.0",
        flags="--call-stack --nvtx --support-32bit --null-stdin --section-folder-restore --disable-profiler-start-stop"
        " --quiet -f|--force-overwrite --open-in-ui --csv --details-all --print-fp --print-rule-details",
        values="--mode -p|--port --max-connections --check-exit-code --injection-path-32 --injection-path-64"
        " --target-processes --target-processes-filter --hostname --kill --replay-mode --app-replay-buffer"
        " --app-replay-match --app-replay-mode --range-replay-options --set --section-folder"
        " --section-folder-recursive --apply-rules --rule --import-source --profile-from-start --cache-control"
        " --clock-control --devices --filter-mode --kernel-id -k|--kernel-name --kernel-name-base -c|--launch-count"
        " -s|--launch-skip --launch-skip-before-match --section --metrics --nvtx-include --nvtx-exclude"
        " --sampling-interval --sampling-max-passes --sampling-buffer-size --log-file -o|--export --page"
        " --print-source --resolve-source-file --print-units --print-kernel-base --print-metric-instances"
        " --print-nvtx-rename --print-summary",
    ),
    "neuron_parallel_compile": Wrapper(
        source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/frameworks/torch/torch-neuronx/api-reference-"
        "guide/training/pytorch-neuron-parallel-compile.html",
        values="--command --num_parallel",
    ),
}
# Commands of which one subcommand starts the rest of the line.
RUNNERS: dict[str, Wrapper] = {
    "conda": Wrapper(
        source="conda/cli/main_run.py and helpers.py of https://github.com/conda/conda, read",
        flags="-v|--verbose --dev --debug-wrapper-scripts -s|--no-capture-output|--live-stream",
        values="-n|--name -p|--prefix --cwd",
    ),
    "micromamba": Wrapper(
        source="https://mamba.readthedocs.io/en/latest/user_guide/micromamba.html, read",
        values="-n|--name -p|--prefix --cwd",
    ),
    "poetry": Wrapper(source="poetry 2.5.1", flags="-q|--quiet -n|--no-interaction --no-plugins"),
    "pipenv": Wrapper(source="pipenv 2026.10.3", flags="--system"),
    "uv": Wrapper(
        source="uv 0.13.9",
        flags="--all-extras --no-dev --only-dev --no-default-groups --all-groups -m|--module --no-editable --exact"
        " --no-env-file --isolated --active --no-sync --locked --frozen -s|--script --gui-script --all-packages"
        " --no-project --no-index -U|--upgrade --no-sources --reinstall --compile-bytecode --no-build-isolation"
        " --no-build --no-binary -n|--no-cache --refresh --managed-python --no-managed-python --no-python-downloads"
        " -q|--quiet -v|--verbose --system-certs --offline --no-progress --no-config",
        values="--extra --no-extra --group --no-group --only-group --no-editable-package --env-file -w|--with"
        " --with-editable --with-requirements --package --python-platform --index --default-index -i|--index-url"
        " --extra-index-url -f|--find-links --index-strategy --keyring-provider -P|--upgrade-package --upgrade-group"
        " --resolution --prerelease --prerelease-package --fork-strategy --exclude-newer --exclude-newer-package"
        " --no-sources-package --reinstall-package --link-mode -C|--config-setting --config-settings-package"
        " --no-build-isolation-package --no-build-package --no-binary-package --cache-dir --refresh-package"
        " -p|--python --color --allow-insecure-host --directory --project --config-file",
        abbreviates=False,
    ),
}
_NSYS_STARTS = ("profile", "launch")


def unwrap(name: str, words: list[Word], env: Variables) -> list[Word] | None:
    """Return the words after a wrapper and its options, None if it is unknown. Its variables are added to `env`."""
    if name == "env":
        return _unwrap_env(words, env)
    if name == "nsys":
        return _unwrap_nsys(words)
    if name in RUNNERS:
        return _unwrap_runner(name, words)
    wrapper = WRAPPERS.get(name)
    if wrapper is None:
        return None
    if name == "nice" and words and words[0].text[1:].isdecimal() and words[0].text[0] in "-+":  # nice -10
        words = words[1:]
    if name == "ncu":  # an option of another version that has its value attached is one word in any case
        words = list(_without_attached(words, wrapper.table))
    parsed = parse(wrapper.table, words)
    return list(parsed.program[wrapper.positionals :]) if parsed.complete else None


def is_wrapper(name: str) -> bool:
    """Return whether a command is in the tables; its options may be unknown all the same."""
    return name in ("env", "nsys") or name in WRAPPERS or name in RUNNERS


def _without_attached(words: list[Word], known: Table) -> list[Word]:
    """Return the words without `--option=value` before the command, if the option is not in the table."""
    kept: list[Word] = []
    for at, word in enumerate(words):
        takes_value = bool(kept) and known.options.get(kept[-1].text, ("", 0))[1] == 1
        if not word.text.startswith("-") and not takes_value:
            return kept + words[at:]
        name, equals, _ = word.text.partition("=")
        if takes_value or not (equals and name.startswith("--")) or name in known.options:
            kept.append(word)
    return kept


def _unwrap_runner(name: str, words: list[Word]) -> list[Word] | None:
    """Return the command after `run` and its options; `uv run -m MODULE` and `uv run FILE.py` start Python."""
    wrapper = RUNNERS[name]
    before = parse(wrapper.table, words)
    if not before.complete or not before.program or before.program[0].text != "run":
        return None
    parsed = parse(wrapper.table, before.program[1:])
    command = list(parsed.program)
    if not parsed.complete or not command:
        return command if parsed.complete else None
    python = command[0].replace(text="python")
    if name == "uv" and "module" in parsed.options:
        return [python, parsed.options["module"].flag.replace(text="-m"), *command]
    if name == "uv" and ("script" in parsed.options or command[0].text.endswith(".py")):
        return [python, *command]
    return command


def _unwrap_env(words: list[Word], env: Variables) -> list[Word] | None:
    """`env -u C A=b command`, as executed with GNU coreutils 9.1; with -i, `-` and -S what starts is unknown."""
    known = table("-0|--null -v|--debug", "-u|--unset -C|--chdir", optional="--block-signal --default-signal")
    rest = words
    while rest and rest[0].text.startswith("-"):  # one option at a time: -u may be repeated
        count = 2 if rest[0].text in ("-u", "--unset", "-C", "--chdir") else 1
        if rest[0].text == "--":
            rest = rest[1:]
            break
        parsed = parse(known, rest[:count])
        if not parsed.complete or rest[0].text == "-":
            return None
        unset = parsed.options.get("unset")
        if unset is not None and unset.value is not None:
            env[unset.value.text] = None
        rest = rest[count:]
    command = list(rest)
    while command and "=" in command[0].text:
        assignment = command.pop(0)
        variable, _, value = assignment.text.partition("=")
        env[variable] = assignment.replace(text=value)
    return command


def _unwrap_nsys(words: list[Word]) -> list[Word] | None:
    """Return the program that `nsys profile` or `nsys launch` starts.

    Every option has a value, after a space or attached, as executed with Nsight Systems 2022.4.2; with `--` it exits.
    https://docs.nvidia.com/nsight-systems/UserGuide/index.html#command-line-options
    """
    if not words or words[0].text not in _NSYS_STARTS:
        return None
    rest = words[1:]
    while rest and rest[0].text.startswith("-"):
        text = rest[0].text
        if text == "--" or UNKNOWN in text.partition("=")[0]:
            return None
        is_attached = "=" in text if text.startswith("--") else len(text) > 2
        rest = rest[1 if is_attached else 2 :]
    return rest
