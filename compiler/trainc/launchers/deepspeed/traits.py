"""Behavior of DeepSpeed's launchers: https://github.com/deepspeedai/DeepSpeed/tree/v0.19.8/deepspeed/launcher"""

from trainc.launchers.traits import Traits

TRAITS = Traits(
    name="deepspeed",
    processes_field="slotsPerWorker",
    # https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/launch.py, main
    process_variables=(
        *("RANK", "LOCAL_RANK", "CROSS_RANK", "WORLD_SIZE", "LOCAL_SIZE", "CROSS_SIZE", "MASTER_ADDR", "MASTER_PORT"),
    ),
    modules=("torch", "deepspeed"),
    cpu_env={"DS_ACCELERATOR": "cpu"},
    shutdown_timeout=30,
    stops_in_sequence=True,
    runs_on_launcher_pod=True,
    has_remote_shell=True,
    options_without_world={
        "--autotuning=": "DeepSpeed's autotuner forms no single world: it runs the program repeatedly and measures it"
        " on GPUs"
    },
)
