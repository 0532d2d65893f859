"""Checks of launch.jax."""
