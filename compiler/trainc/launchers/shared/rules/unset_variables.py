"""Variables in a launcher's options that nothing sets, such as $JOB_ID of torchrun's documentation.

https://docs.pytorch.org/docs/2.13/elastic/run.html
"""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.program_command import program_command
from trainc.commandline.shell import shell_script
from trainc.commandline.shell_variables import is_preset, reference
from trainc.commandline.word import Places
from trainc.launchers.registry import MENTIONS

TRIGGERS = ("starts_launcher()",)

# Options with the size of the world and the rendezvous.
OPTIONS = (
    *("nnodes", "nproc_per_node", "node_rank", "master_addr", "master_port", "max_restarts"),
    *("rdzv_id", "rdzv_endpoint", "rdzv_backend", "num_nodes", "num_gpus", "num_machines", "num_processes"),
    *("machine_rank", "main_process_ip", "main_process_port"),
)
HOSTS = ("master_addr", "rdzv_endpoint", "main_process_ip")
LOCAL = re.compile(r"localhost|127\.0\.0\.1|\[?::1\]?")
_OPTION = re.compile(rf"--({'|'.join(OPTIONS).replace('_', '[-_]')})[=\s]\s*([^\s;|&]{{1,200}})")
_REFERENCE = reference()
_SETS = r"(?:(?:^|[\s;&|(]){name}(?:\+?=|\[)|\b(?:read|for|select|mapfile|readarray|getopts|printf)\b[^\n;]*\b{name}\b)"
_READS_FILES = re.compile(r"(?:^|[\s;&|(])(?:source|\.|eval)\s")


def check(context: RuleContext) -> Diagnostics:
    """Check the options in a shell's script; without a shell no variable is expanded at all."""
    script = shell_script(program_command(context).argv)
    if script is None or context.spec.env_from or _READS_FILES.search(script.text):
        return
    text = str(script.text)
    known = {variable.name for variable in context.pod.main.user_variables}
    known |= {variable.name for variable in context.job.pod.env}
    for option in _OPTION.finditer(text) if any(name in text for name in MENTIONS) else ():
        messages = (_message(context, option[1], match, known, text) for match in _REFERENCE.finditer(option[2]))
        message = next(filter(None, messages), None)
        if message is not None:
            where = Places(text, script.span).part(option.start(), option.end()) or context.launch_key
            yield warning(codes.UNSET_LAUNCHER_VARIABLE, message, where, help="set it in env, or remove the option")


def _message(context: RuleContext, option: str, match: re.Match[str], known: set[str], script: str) -> str | None:
    """Return the problem of a reference to a variable that nothing sets: no default, or a local address."""
    name, default = match["bare"] or match["braced"], (match["operator"] or "").lstrip(":-=")
    if name in known or is_preset(name) or _is_set(name, script):
        return None
    if not match["operator"]:
        return f"`${name}` in `--{option}` is empty: nothing sets it"
    if option.replace("-", "_") in HOSTS and LOCAL.fullmatch(default) and context.job.replicas.maximum > 1:
        return f"`{match[0]}` in `--{option}` is `{default}` on every worker: nothing sets `{name}`"
    return None


def _is_set(name: str, text: str) -> bool:
    return re.search(_SETS.format(name=re.escape(name)), text, re.MULTILINE) is not None
