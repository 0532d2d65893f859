"""JobSet of Kubernetes SIG Apps: a set of Jobs that start, fail and restart together."""
