"""PyTorchJob of Kubeflow's training operator."""
