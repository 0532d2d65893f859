"""Behavior of `accelerate launch`, which starts torchrun's agent in its own process.

https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py, multi_gpu_launcher
"""

from trainc.launchers.torchrun import traits as torchrun
from trainc.launchers.traits import Traits

_TORCHRUN = torchrun.TRAITS
# Without it each process on a machine without GPUs forms a world of its own, whatever its rank: PartialState of
# https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/state.py. Only --cpu sets it.
USE_CPU = "ACCELERATE_USE_CPU"
TRAITS = Traits(
    name="accelerate",
    command="accelerate",
    # Of torchrun's variables with the run and the restarts accelerate reads the first; the others are the processes'.
    run_id_variables=_TORCHRUN.run_id_variables,
    restarts_variables=(torchrun.MAX_RESTARTS,),
    process_variables=_TORCHRUN.process_variables,
    is_elastic=True,
    hides_exit_codes=True,
    modules=("torch", "accelerate"),
    cpu_env={USE_CPU: "true", "DS_ACCELERATOR": "cpu"},
    shutdown_timeout=_TORCHRUN.shutdown_timeout,
    shutdown_variable=_TORCHRUN.shutdown_variable,
)
