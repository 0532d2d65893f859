"""Rules about launch.accelerate."""
