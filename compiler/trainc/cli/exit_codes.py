"""Exit codes of all commands; docs/exit-codes.md and `trainc --help` are generated from this table."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit code with its meaning for any command."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> ExitCode:
        """Return the integer, with its meaning."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    OK = 0, "success; warnings and notes don't change it"
    WRONG_INPUT = 1, "an error in the input, or a warning with --strict"
    USAGE = 2, "wrong usage, or a failure outside the input, such as a full disk"
    INTERRUPTED = 130, "Ctrl-C (SIGINT), without a message"


OK, WRONG_INPUT, USAGE, INTERRUPTED = ExitCode
# Further meanings of single commands.
OF_COMMANDS = {
    "check --diff": {WRONG_INPUT: "there are fixes"},
    "compile --check": {WRONG_INPUT: "a manifest is out of date, missing or left over"},
    "compile --verify": {WRONG_INPUT: "the back ends, or the file itself, start different worlds"},
    "diff": {
        OK: "no change",
        WRONG_INPUT: "changes",
        USAGE: "an error in either version, wrong usage, or no such revision",
    },
    "plan --strict": {WRONG_INPUT: "the plan has findings"},
    "rehearse": {
        OK: "all scenarios passed or were skipped",
        WRONG_INPUT: "a scenario failed",
        USAGE: "no scenario applies, or this machine has no Linux, namespaces or torch",
    },
    "status": {
        OK: "the input or the cluster has the job, in whatever state",
        WRONG_INPUT: "there is no such job",
        USAGE: "kubectl is missing, or failed",
    },
    "status --watch": {
        OK: "all jobs have succeeded or stopped",
        WRONG_INPUT: "a job has failed, or none exists",
        USAGE: "kubectl failed before the first status",
    },
}
