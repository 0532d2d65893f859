"""Behavior of mpirun of Open MPI, Intel MPI and MPICH, seen with 4.1.4 and 5.0.11, 2021.18 and 4.3."""

from trainc.launchers.traits import Traits

OPEN_MPI, INTEL = "OpenMPI", "Intel"
TRAITS = Traits(
    name="mpirun",
    command="mpirun",
    processes_field="slotsPerWorker",
    # Its rank, the size of the world, and both in its pod. Intel MPI and MPICH have Hydra's:
    # https://github.com/pmodels/mpich/blob/v4.3.2/src/pm/hydra/proxy/pmip_cb.c
    process_variables=(
        *("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
        *("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
    ),
    runs_on_launcher_pod=True,
    starts_over_ssh=True,
)
