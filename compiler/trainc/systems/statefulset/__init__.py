"""StatefulSet of Kubernetes."""
