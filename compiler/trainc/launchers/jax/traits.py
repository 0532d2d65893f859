"""Behavior of launch.jax, which starts the program itself: no launcher exists for JAX."""

from trainc.launchers.traits import Traits

TRAITS = Traits(
    name="jax",
    has_processes=False,
    follows_gpus=False,
    framework="jax",
    joins_slices=True,
    cpu_env={"JAX_PLATFORMS": "cpu"},
)
