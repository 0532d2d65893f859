"""Behavior of Ray's cluster, seen with Ray 2.60.0."""

from trainc.launchers.traits import Traits

ADDRESS = "RAY_ADDRESS"
TRAITS = Traits(
    name="ray",
    processes_field="",  # the program starts them
    has_processes=False,
    follows_gpus=False,
    process_variables=(ADDRESS,),
    is_elastic=True,
    restarts_on_resize=False,
    uses_shared_memory=True,
    modules=("ray",),
)
