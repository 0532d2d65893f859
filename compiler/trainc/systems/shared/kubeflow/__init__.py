"""Parts for the operators built on kubeflow/common: PyTorchJob and ElasticJob."""
