"""MPIJobs of Kubeflow's MPI operator."""
