"""Rules about RayJobs."""

SHARED_RULES = ("trainc.systems.shared.custom_resource.rules",)
