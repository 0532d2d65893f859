"""Program that sudo starts without the job's variables.

sudoers(5), "Command environment": https://www.sudo.ws/docs/man/1.9.13/sudoers.man/#Command_environment
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.program_command import program_command
from trainc.commandline.argparse import parse
from trainc.commandline.wrapper_tables import SUDO, WRAPPERS
from trainc.commandline.wrappers import resets_environment
from trainc.launchers.find_launchers import PYTHON, calls
from trainc.launchers.frameworks import started_commands
from trainc.launchers.registry import FRAMEWORK_COMMANDS

TRIGGERS = ("runs_sudo()", "runs_shell_script()")


def check(context: RuleContext) -> Diagnostics:
    """Report the first one that starts Python or a launcher; others may install something."""
    launch = context.job.launch
    names = [*launch.process_variables] or [*(launch.launcher.process_variables if launch.wraps_program else ())]
    names += [variable.name for variable in context.job.pod.env]
    for start in started_commands(program_command(context).argv, (SUDO,)):
        parsed = parse(WRAPPERS[SUDO].table, start.words)
        command = [word for word in parsed.program if "=" not in word.text]
        program = command[0].text.rpartition("/")[2] if command else ""
        trains = PYTHON.fullmatch(program) or program in FRAMEWORK_COMMANDS or calls(command)
        if not names or not trains or not resets_environment(parsed):
            continue
        where = start.command.span or context.spec.run.where(context.spec.run.kind)
        message = f"`sudo` starts `{program}` without the variables of the container, such as {names[0]}"
        yield warning(codes.SUDO_RESETS_ENVIRONMENT, message, where, help="pass -E to sudo, or remove it")
        return
