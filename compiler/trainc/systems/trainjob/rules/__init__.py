"""Rules about TrainJobs."""

SHARED_RULES = ("trainc.systems.shared.custom_resource.rules",)
