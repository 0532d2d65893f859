"""Package installations in programs of several processes, which write to the same folder at once."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.program_command import program_command
from trainc.commandline.shell import SHELLS, commands, shell_text

TRIGGERS = ("is_not_plain_script()",)

INSTALLERS = frozenset(("pip", "pip3", "conda", "mamba", "apt", "apt-get"))


def check(context: RuleContext) -> Diagnostics:
    """Check scripts that the launcher starts in each process.

    Concurrent processes can share pip's cache (https://pip.pypa.io/en/stable/topics/caching/), but not its target.
    """
    count, command = context.job.launch.process_count or 1, program_command(context)
    is_shell = command.argv and command.argv[0].text.rpartition("/")[2] in SHELLS
    if count < 2 or not command.wrapped or not is_shell:
        return
    text = shell_text(command.argv)
    for each in commands(text.text, text.span) if text is not None and text.known else ():
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
