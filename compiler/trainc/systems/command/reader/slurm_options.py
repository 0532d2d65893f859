"""Options of Slurm's sbatch and srun, from their man pages (Slurm 22.05).

https://slurm.schedmd.com/sbatch.html, https://slurm.schedmd.com/srun.html
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from trainc.commandline.argparse import Table, parse, table
from trainc.commandline.word import Word
from trainc.record import Record
from trainc.secrets.text import redact
from trainc.span import Source, Span

_FLAGS = (
    "--contiguous --reboot --spread-job --test-only --usage --use-min-nodes -H|--hold -O|--overcommit -Q|--quiet"
    " -V|--version -h|--help -s|--oversubscribe -v|--verbose"
)
_VALUES = (
    "--acctg-freq --bb --bbf --cluster-constraint --comment --container --cores-per-socket --cpu-freq --cpus-per-gpu"
    " --deadline --delay-boot --export --gid --gpu-bind --gpu-freq --gpus-per-node --gpus-per-socket --gpus-per-task"
    " --gres --gres-flags --hint --mail-type --mail-user --mcs-label --mem --mem-bind --mem-per-cpu --mem-per-gpu"
    " --mincpus --network --ntasks-per-core --ntasks-per-gpu --ntasks-per-node --ntasks-per-socket --open-mode --power"
    " --prefer --priority --profile --reservation --signal --sockets-per-node --switches --thread-spec"
    " --threads-per-core --time-min --tmp --uid --wckey -A|--account -B|--extra-node-info -C|--constraint -D|--chdir"
    " -F|--nodefile -G|--gpus -J|--job-name -L|--licenses -M|--clusters -N|--nodes -S|--core-spec -b|--begin"
    " -c|--cpus-per-task -d|--dependency -e|--error -i|--input -m|--distribution -n|--ntasks -o|--output -p|--partition"
    " -q|--qos -t|--time -w|--nodelist -x|--exclude"
)
_OPTIONAL = "--exclusive --nice --propagate -k|--no-kill"
_SBATCH = (
    f"{_FLAGS} --ignore-pbs --no-requeue --parsable --requeue -W|--wait",
    f"{_VALUES} --batch --export-file --kill-on-invalid-dep --wait-all-nodes --wrap -a|--array",
    f"{_OPTIONAL} --get-user-env",
)
_SRUN = (
    f"{_FLAGS} --exact --multi-prog --overlap --pty --quit-on-interrupt -E|--preserve-env -X|--disable-status"
    " -Z|--no-allocate -l|--label -u|--unbuffered",
    f"{_VALUES} --accel-bind --bcast-exclude --cpu-bind --epilog --het-group --jobid --mpi --msg-timeout --prolog"
    " --slurmd-debug --task-epilog --task-prolog -T|--threads -W|--wait -r|--relative",
    f"{_OPTIONAL} --bcast --compress --resv-ports --send-libs --x11 -I|--immediate -K|--kill-on-bad-exit",
)
# Of the plug-in Pyxis, as its README lists them: https://github.com/NVIDIA/pyxis
_PYXIS = (
    "--container-mount-home --no-container-mount-home --container-remap-root --no-container-remap-root"
    " --container-entrypoint --no-container-entrypoint",
    "--container-image --container-mounts --container-workdir --container-name --container-save",
)
_DIRECTIVE = re.compile(r"#SBATCH[ \t]+(\S.*)")
_MAX_SHOWN = 80  # characters of a directive in a message


class SlurmOption(Record):
    """Option with its long name in snake case, its value, None for a switch, its position and its spelling."""

    name: str
    value: str | None
    span: Span
    shown: str


def _table(kind: tuple[str, str, str]) -> Table:
    return table(f"{kind[0]} {_PYXIS[0]}", f"{kind[1]} {_PYXIS[1]}", optional=kind[2])


def is_batch_script(text: str) -> bool:
    """Return whether a text has directives."""
    return any(_DIRECTIVE.match(line) for line in text.split("\n"))


def batch_options(source: Source) -> list[SlurmOption]:
    """Return the options of a batch script's directives; sbatch reads none after the first command."""
    options: list[SlurmOption] = []
    known, at = _table(_SBATCH), 0
    for line in source.text.split("\n"):
        start, at = at, at + len(line) + 1
        match = _DIRECTIVE.match(line)
        if match is None:
            if line.strip() and not line.lstrip().startswith("#"):
                break
            continue
        first = source.span_at(start)
        span = first.until(first.line, first.column + len(line.rstrip()))
        options += _parsed(known, _split(match[1]), span)
    return options


def _split(text: str) -> list[str]:
    text = text.partition(" #")[0]
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _parsed(known: Table, texts: Sequence[str], span: Span) -> list[SlurmOption]:
    """Return the options of a line; the rest of one that sbatch does not know has the name `unknown`."""
    parsed = parse(known, [Word(text=text) for text in texts])
    options: list[SlurmOption] = []
    for name, option in parsed.options.items():
        value, flag = option.value.text if option.value else None, option.flag.text
        is_apart = value is not None and not flag.endswith(value)
        options.append(_option(name, value, span, f"{flag} {value}" if is_apart else flag))
    rest = parsed.problem.word if parsed.problem is not None else next(iter(parsed.program), None)
    return options if rest is None else [*options, _option("unknown", None, span, rest.text)]


def _option(name: str, value: str | None, span: Span, text: str) -> SlurmOption:
    return SlurmOption(name=name, value=value, span=span, shown=redact(f"#SBATCH {text}"[:_MAX_SHOWN]))


def strip_srun(words: Sequence[Word]) -> tuple[list[SlurmOption], list[Word]] | None:
    """Return the options of `srun OPTIONS COMMAND` and the command; None if only the running shell knows them."""
    parsed = parse(_table(_SRUN), words[1:])
    if not parsed.complete or not parsed.program:
        return None
    options: list[SlurmOption] = []
    for name, option in parsed.options.items():
        span = option.flag.span or words[0].span
        if span is not None and (option.value is None or option.value.known):
            value = option.value.text if option.value else None
            options.append(SlurmOption(name=name, value=value, span=span, shown=redact(option.flag.text)))
    return options, list(parsed.program)
