"""Constants of PyTorchTrainingJobs.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md
"""

CONTAINER = "python"  # name of the training container, which else is the first one
BACKOFF_LIMIT = 3  # the controller's default, for all pods together
PORT = 29500  # torch's default; the manuals name no port
