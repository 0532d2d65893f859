"""TrainJob of Kubeflow Trainer."""
