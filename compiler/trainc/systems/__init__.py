"""From what runs to Kubernetes objects: a back end a file, each with its templates in a folder of its name."""
