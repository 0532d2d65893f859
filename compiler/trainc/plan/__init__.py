"""What Kubernetes and the launchers will make of manifests. Reads nothing but them, so it judges the compiler."""
