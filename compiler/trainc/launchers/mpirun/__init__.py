"""mpirun of Open MPI, Intel MPI and MPICH, which starts the processes of all workers from a launcher pod."""
