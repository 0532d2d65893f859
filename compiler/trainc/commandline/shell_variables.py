"""Variables of a shell whose values are certain, command by command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from trainc.commandline.lexer import FILES, Token
from trainc.commandline.word import UNKNOWN, Word

# Variables that the shell sets by itself: https://www.gnu.org/software/bash/manual/html_node/Bash-Variables.html
OWN = frozenset(
    (
        *("_", "BASHPID", "COMP_WORDBREAKS", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "EUID", "FUNCNAME", "GROUPS"),
        *("HISTCMD", "HOSTNAME", "IFS", "LINENO", "OLDPWD", "OPTARG", "OPTIND", "PIPESTATUS", "PPID", "PWD", "RANDOM"),
        *("REPLY", "SECONDS", "SHLVL", "SRANDOM", "UID"),
    )
)
# Variables of launchers, operators and Kubernetes.
_OF_POD = frozenset(
    (
        *("JOB_COMPLETION_INDEX", "NODE_RANK", "GROUP_RANK", "RANK", "MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE"),
        *("LOCAL_RANK", "LOCAL_WORLD_SIZE"),
    )
)
_OF_POD_PREFIXES = ("PET_", "KUBERNETES_", "OMPI_", "PMI", "TORCHELASTIC_", "VC_")
# https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
_OF_SERVICE = re.compile(r"_SERVICE_(HOST|PORT)|_PORT(_|$)")
# Variables of images.
_OF_IMAGE = frozenset(
    (
        *("HOME", "PATH", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TMPDIR", "LD_LIBRARY_PATH", "LD_PRELOAD"),
        *("LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV"),
    )
)
_OF_IMAGE_PREFIXES = ("NVIDIA_", "CUDA_", "CONDA_", "BASH", "LC_")
_WRITES = frozenset(("for", "select", "read", "mapfile", "readarray", "getopts", "let", "wait"))
_UNPREDICTABLE = frozenset(("eval", "source", "."))
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ONLY_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
_ONLY_LIST = re.compile(r'("?)\$\{([A-Za-z_][A-Za-z0-9_]*)\[[@*]\]\}\1')
_MAX_LENGTH = 2000  # characters of a value, since repeated doubling has no end
_ASSIGNS = re.compile(r"(?<![=!<>])=(?!=)|\+\+|--|<<=|>>=")


def reference(opens: str = "{", closes: str = "}") -> re.Pattern[str]:
    """Return the pattern of `$NAME` and `${NAME:-default}`, with the groups bare, braced and operator."""
    name = _NAME.pattern
    operator = r"(?P<operator>:?[-=?+][^{}]*)?"
    return re.compile(rf"(?<![$\\])\$(?:[{opens}](?P<braced>{name}){operator}[{closes}]|(?P<bare>{name}))")


def is_preset(name: str) -> bool:
    """Return whether a shell, an image, a launcher, an operator or Kubernetes sets a variable of this name."""
    return name in OWN | _OF_IMAGE | _OF_POD or name.startswith(_OF_IMAGE_PREFIXES + _OF_POD_PREFIXES)


def may_be_in_pod(name: str) -> bool:
    """Return whether an operator, a launcher or Kubernetes may set a variable of this name in a container."""
    return name in _OF_POD or name.startswith(_OF_POD_PREFIXES) or _OF_SERVICE.search(name) is not None


class ShellVariables:
    """Values of a script's variables, without unset, empty and uncertain ones. Parts of a value may be UNKNOWN."""

    def __init__(self, text: str, env: Mapping[str, Word | None]) -> None:
        self.uncertain = set(OWN)
        for inside in _arithmetic(text):
            if _ASSIGNS.search(inside):
                self.uncertain.update(_NAME.findall(inside))
        self.values: dict[str, str] = {}  # the lexer reads the same mapping
        self.lists: dict[str, list[Word]] = {}  # of bash: NAME=(WORD...)
        for name, value in env.items():
            self.set(name, value)

    def set(self, name: str, value: Word | None, forever: bool = False) -> None:
        """Set a value, None for an unknown one; `forever` if it may change again unnoticed."""
        if name == "IFS":
            self.values.clear()
            self.lists.clear()
        if forever:
            self.uncertain.add(name)
        if value is None or not 0 < len(value.text) <= _MAX_LENGTH or name in self.uncertain:
            self.values.pop(name, None)
        else:
            self.values[name] = value.text

    def forget_written(self, command: str, words: Sequence[Word]) -> None:
        """Forget the variables that a command writes to, if it takes names of variables."""
        if command in _UNPREDICTABLE:
            self.values.clear()
            self.lists.clear()
        elif command in _WRITES or (command == "printf" and any(word.text.startswith("-v") for word in words)):
            for word in words:
                for name in _NAME.findall(word.text):
                    self.set(name, None, forever=True)
                    self.lists.pop(name, None)

    def split_words(self, token: Token) -> Iterator[Token]:
        """Yield the words of a variable that is a whole unquoted word: as many as its value has; those of a list."""
        whole = _ONLY_LIST.fullmatch(token.raw) if self.lists else None
        if token.word is not None and whole is not None and whole[2] in self.lists:
            items = self.lists[whole[2]]
            is_quoted = bool(whole[1])
            if is_quoted or all(len(item.text.split()) == 1 and not FILES.search(item.text) for item in items):
                yield from (token.replace(word=item) for item in items)
                return
        match = _ONLY_VARIABLE.fullmatch(token.raw)
        value = self.values.get(match[1] or match[2], "") if match else ""
        if token.word is None or not value.strip() or FILES.search(value):
            yield token
            return
        for part in value.split():
            yield token.replace(word=Word(text=part, span=token.word.span, splits=UNKNOWN in part))


def _arithmetic(text: str) -> Iterator[str]:
    """Yield the contents of arithmetic brackets, `((…))`."""
    start = text.find("((")
    while start >= 0 and (end := text.find("))", start)) >= 0:
        yield text[start + 2 : end]
        start = text.find("((", end)
