"""Words of the entrypoint, which Ray runs by a shell: `JobSupervisor` of
https://github.com/ray-project/ray/blob/ray-2.60.0/python/ray/dashboard/modules/job/job_supervisor.py
"""

from __future__ import annotations

from trainc.commandline.shell import parse_script


def entrypoint_words(entrypoint: str) -> list[str]:
    """Return the words of a single command; those of the shell for another text."""
    if not entrypoint:
        return []
    parsed = parse_script(entrypoint, None)
    is_plain = parsed is not None and len(parsed.commands) == 1 and not parsed.uncertain
    command = parsed.commands[0] if parsed is not None and is_plain else None
    if command is None or command.files or command.is_piped or command.env:
        return ["sh", "-c", entrypoint]
    if any(not word.known or word.splits for word in command.words):
        return ["sh", "-c", entrypoint]
    return [word.text for word in command.words]
