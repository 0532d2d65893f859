"""What back ends have in common beside the pod, a system a file; imported only by a job that needs it."""
