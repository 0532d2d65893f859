"""Words that trainc adds to the program's command line, with the fields that add them."""

from __future__ import annotations

from trainc.ir.job import Addition
from trainc.ir.launch import Launch
from trainc.ir.pod import Program
from trainc.spec.job import TrainingJob
from trainc.target import Target


def lower_additions(job: TrainingJob, launch: Launch, program: Program, target: Target) -> tuple[Addition, ...]:
    """Return the launcher or trainc's own script before the program, and the arguments after it."""
    if job.mode.name == "debug" and not target.system.has_run_modes:
        return ()
    name, before = f"launch.{launch.launcher.name}", command_text(program.command)
    additions = []
    if launch.process_variables and (before or not target.system.starts_launcher):
        field = launch.launcher.processes_field
        additions.append(Addition(words=before, field=f"{name}.{field}" if field else name))
    elif launch.wraps_program and before:
        additions.append(Addition(words=before, field=name, is_launcher=True))
    if job.launch.appended_arguments:
        additions.append(Addition(words=", ".join(job.launch.appended_arguments), field=f"{name}.arguments"))
    paths = (("save", job.save), ("checkpoint", job.checkpoint), ("shareFile", job.share_file))
    additions += [Addition(words=path.argument, field=f"{at}.argument") for at, path in paths if path and path.argument]
    return tuple(additions)


def command_text(command: tuple[str, ...]) -> str:
    """Return a command without the text of its script."""
    return " ".join("..." if "\n" in word else word for word in command)
