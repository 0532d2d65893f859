"""Behavior of launch.basic, which starts the program itself."""

from trainc.launchers.traits import Traits

TRAITS = Traits(
    name="basic",
    names_arguments=True,
    has_processes=False,
    follows_gpus=False,
    runs_on_launcher_pod=True,
)
