"""Text of files that a job ships: of its own `files` volumes, and of ConfigMaps in the input."""

from __future__ import annotations

from trainc.checks.rule import RuleContext
from trainc.commandline.word import Word
from trainc.launchers.script_files import config_map_key, inline_script


def inline_shipped_script(context: RuleContext, argv: list[Word]) -> list[Word]:
    """Return a command line with the text of a shell script that the job ships as that of `sh -c`."""
    return inline_script(argv, context.spec.working_dir, lambda path: shipped_text(context, path))


def shipped_text(context: RuleContext, path: str) -> str | None:
    """Return the text of a file in the training container; None if the input does not have it."""
    mount = context.pod.mount_of(path)
    if mount is None or mount.volume.kind != "configMap":
        return None
    source = mount.volume.source
    key = config_map_key(path, mount.path, mount.sub_path, source.get("items"))
    for files in context.job.file_maps:
        if files.volume == mount.volume.name:
            content = files.contents.get(key)
            return None if content is None else content.decode(errors="replace")
    return context.config_maps.get(str(source.get("name")), {}).get(key)
