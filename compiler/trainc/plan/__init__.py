"""Plan of a job: the pods and processes that result from its manifests, computed independently of the compiler."""
