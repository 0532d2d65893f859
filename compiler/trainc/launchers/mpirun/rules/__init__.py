"""Rules about launch.mpirun."""
