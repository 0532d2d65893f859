"""Open MPI's mpirun, which a program may start itself."""
