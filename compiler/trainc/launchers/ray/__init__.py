"""Ray: a cluster of the job's pods, in which worker 0 runs the program."""
