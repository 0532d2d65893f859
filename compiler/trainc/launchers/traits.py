"""Traits of launchers: other code reads these instead of comparing names."""

from __future__ import annotations

from trainc.record import Record


class Traits(Record):
    """Behavior of one launcher."""

    # Name of the field below `launch`.
    name: str
    # Command that trainc starts in each pod; empty if it is not a command of the image.
    command: str = ""
    # Field with the number of processes in each pod; empty if the program starts them.
    processes_field: str = "nprocPerNode"
    # Whether the job can name arguments that pass the ranks.
    names_arguments: bool = False
    # Whether the launcher, not trainc, starts the processes.
    has_processes: bool = True
    # Whether the default is a process for each GPU; otherwise it is one process.
    follows_gpus: bool = True
    # Prefix of the environment variables that the launcher reads for missing options; empty if it reads none.
    variable_prefix: str = ""
    # Variables with the id of the run and the number of restarts, of the pods and of the processes.
    run_id_variables: tuple[str, ...] = ()
    restarts_variables: tuple[str, ...] = ()
    # Variables that it sets for each process, whatever the pod has.
    process_variables: tuple[str, ...] = ()
    # Whether workers can join and leave while the job runs.
    is_elastic: bool = False
    # Whether all processes restart then.
    restarts_on_resize: bool = True
    # Whether the launcher's exit code is independent of those of the processes.
    hides_exit_codes: bool = False
    # Python module by which the processes communicate.
    framework: str = "torch"
    # Whether its processes exchange data through /dev/shm even without GPUs.
    uses_shared_memory: bool = False
    # Python modules that the launcher imports.
    modules: tuple[str, ...] = ()
    # Environment that it needs on a machine without GPUs.
    cpu_env: dict[str, str] = {}
    # Seconds between SIGTERM and SIGKILL of a process, and the variable that sets them; None if it sends no SIGKILL.
    shutdown_timeout: int | None = None
    shutdown_variable: str = ""
    # Whether it terminates its processes one after the other.
    stops_in_sequence: bool = False
    # Whether it can start the processes of all workers from a pod of its own.
    runs_on_launcher_pod: bool = False
    # Whether it always starts the processes of all workers over ssh: from that pod, or from worker 0.
    starts_over_ssh: bool = False
    # Whether a remote shell reads the program's command line on the workers that it starts.
    has_remote_shell: bool = False
    # Whether the processes find each other on several slices of TPUs.
    joins_slices: bool = False
    # Options with which the processes form no single world → what they do instead.
    options_without_world: dict[str, str] = {}
