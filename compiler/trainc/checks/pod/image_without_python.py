"""Python programs in images without Python: the container fails after its GPUs were allocated."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.commandline.shell import SHELLS, commands, shell_text
from trainc.commandline.word import Word, words
from trainc.launchers.registry import COMMANDS
from trainc.source.node import scalar_text

TRIGGERS = ("has_image_without_python()",)

# Images of Docker Hub and its mirrors, NVIDIA and Google; CUDA's images on CentOS and UBI have a Python.
IMAGE = re.compile(
    r"(docker\.io/|index\.docker\.io/|([\w.-]+(:\d+)?/)+library/)?(busybox|alpine|debian|ubuntu)([:@].*)?"
    r"|((docker\.io|nvcr\.io)/)?nvidia/cuda:(?=[^@]*ubuntu).*"
    r"|gcr\.io/distroless/(static|base|base-nossl|cc)(-debian\d+)?([:@].*)?"
)
PYTHON = re.compile(r"(/usr/bin/)?(python3?|python3\.\d+|pip3?)")
# Commands that don't install Python.
NO_INSTALLERS = frozenset(("cd", "echo", "export", "set", "ulimit", "mkdir", "ls", "pwd", "env", "sleep", "nvidia-smi"))
SYSTEM_FOLDERS = ("/usr", "/bin", "/lib")


def check(context: RuleContext) -> Diagnostics:
    """Check the first program of the container, unless a volume, PATH or an earlier command may provide Python."""
    main = context.pod.main
    image = scalar_text(main.node.get("image"))
    if not IMAGE.fullmatch(image.removeprefix("library/")):
        return
    has_path = context.spec.env_from or any(variable.name == "PATH" for variable in main.user_variables)
    if has_path or any(mount.path == "" or mount.path.startswith(SYSTEM_FOLDERS) for mount in context.pod.mounts):
        return
    program = _first_program(words(main.words("command") + main.words("args")))
    if program is not None:
        message = f"image `{image}` has no Python: the container fails to start `{program}`"
        help_ = "use an image with Python and torch, like pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime"
        yield warning(codes.IMAGE_WITHOUT_PYTHON, message, main.node.where("image"), help=help_)


def _first_program(argv: list[Word]) -> str | None:
    """Return the Python program or launcher that starts first, None for another program."""
    if argv and argv[0].base_name in SHELLS:
        text = shell_text(argv)
        started = [each.words for each in commands(text.text, text.span)] if text is not None and text.known else []
        lines = [list(line) for line in started if line and line[0].text not in NO_INSTALLERS]
        return _first_program(lines[0]) if lines and lines[0][0].base_name not in SHELLS else None
    name = argv[0].text if argv else ""
    is_launcher = any(name == command.partition(" ")[0] for command in COMMANDS) and not name.startswith("mpi")
    return name if is_launcher or PYTHON.fullmatch(name) else None
