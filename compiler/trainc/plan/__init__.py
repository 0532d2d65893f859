"""Plan of a job: what Kubernetes and the launchers make of its manifests, read independently of the compiler."""
