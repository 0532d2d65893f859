"""Parts for the operators built on kubeflow/common."""
