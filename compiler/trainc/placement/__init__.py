"""Placement of the pods of manifests on the nodes of a cluster, by the rules of kube-scheduler."""
