"""Rules about launch.ray."""
