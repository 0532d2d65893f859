"""Rules about PyTorchJobs."""

SHARED_RULES = ("trainc.systems.shared.custom_resource.rules",)
