"""Commands of the program that do not work as in a shell of one machine: sudo, and package installations."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.program_command import program_command
from trainc.commandline.argparse import parse
from trainc.commandline.shell import commands, shell_script
from trainc.commandline.wrapper_tables import SUDO, WRAPPERS
from trainc.commandline.wrappers import resets_environment
from trainc.launchers.find_launchers import PYTHON, calls
from trainc.launchers.frameworks import started_commands
from trainc.launchers.registry import FRAMEWORK_COMMANDS

TRIGGERS = ("runs_sudo()", "runs_shell_script()", "is_not_plain_script()")

INSTALLERS = frozenset(("pip", "pip3", "conda", "mamba", "apt", "apt-get"))


def check(context: RuleContext) -> Diagnostics:
    yield from _sudo(context)
    yield from _installations(context)


def _sudo(context: RuleContext) -> Diagnostics:
    """Report the first sudo that starts Python or a launcher without the job's variables; others may install packages.

    sudoers(5), "Command environment": https://www.sudo.ws/docs/man/1.9.13/sudoers.man/#Command_environment
    """
    launch = context.job.launch
    names = [*launch.process_variables] or [*(launch.launcher.process_variables if launch.wraps_program else ())]
    names += [variable.name for variable in context.job.pod.env]
    for start in started_commands(program_command(context).argv, (SUDO,)):
        parsed = parse(WRAPPERS[SUDO].table, start.words)
        command = [word for word in parsed.program if "=" not in word.text]
        program = command[0].base_name if command else ""
        trains = PYTHON.fullmatch(program) or program in FRAMEWORK_COMMANDS or calls(command)
        if not names or not trains or not resets_environment(parsed):
            continue
        where = start.command.span or context.program
        message = f"`sudo` starts `{program}` without the variables of the container, such as {names[0]}"
        yield warning(codes.SUDO_RESETS_ENVIRONMENT, message, where, help="pass -E to sudo, or remove it")
        return


def _installations(context: RuleContext) -> Diagnostics:
    """Check scripts that the launcher starts in each process: they write to the same folder at once.

    Concurrent processes can share pip's cache (https://pip.pypa.io/en/stable/topics/caching/), but not its target.
    """
    count, command = context.job.launch.process_count or 1, program_command(context)
    text = shell_script(command.argv)
    if count < 2 or not command.wrapped or text is None or not text.known:
        return
    for each in commands(text.text, text.span):
        name = each.words[0].text
        arguments = [word.text for word in each.words[1:3]]
        if name.startswith("python") and arguments == ["-m", "pip"]:
            name, arguments = "pip", [word.text for word in each.words[3:4]]
        if name in INSTALLERS and "install" in arguments:
            message = f"each of the {count} processes of a pod runs `{name} install`: they write the same files at once"
            help_ = "install the packages in the image"
            where = each.words[0].span or command.where
            yield warning(codes.INSTALL_PER_PROCESS, message, where, help=help_)
            return
