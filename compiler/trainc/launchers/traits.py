"""What the rest of the compiler may ask about a launcher, so that it never has to ask for its name."""

from __future__ import annotations

from trainc.record import Record


class Traits(Record):
    """Behavior of one launcher."""

    # Name of the field below `launch`.
    name: str
    # Command that trainc starts in each pod; empty if it is not a command of the image.
    command: str = ""
    # Field with the number of processes in each pod.
    processes_field: str = "nprocPerNode"
    # Whether the launcher starts the processes, and not trainc.
    has_processes: bool = True
    # Whether the default is a process for each GPU, instead of one.
    follows_gpus: bool = True
    # Prefix of the environment variables that the launcher reads for missing options; empty if it reads none.
    variable_prefix: str = ""
    # Whether workers can join and leave while the job runs.
    is_elastic: bool = False
    # Whether the exit code is the launcher's own, whatever the processes exited with.
    hides_exit_codes: bool = False
    # Python modules that the launcher imports.
    modules: tuple[str, ...] = ()
    # Environment that it needs on a machine without GPUs.
    cpu_env: dict[str, str] = {}
    # Seconds between SIGTERM and SIGKILL of a process, and the variable that sets them; None if it sends no SIGKILL.
    shutdown_timeout: int | None = None
    shutdown_variable: str = ""
    # Whether it terminates its processes one after the other.
    stops_in_sequence: bool = False
    # Options with which the processes form no single world, and what they do instead.
    options_without_world: dict[str, str] = {}
