"""Deployment of Kubernetes: runs the managed etcd, not the training."""
