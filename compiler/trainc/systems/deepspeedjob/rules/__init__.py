"""Rules about DeepSpeedJobs."""

SHARED_RULES = ("trainc.systems.shared.custom_resource.rules",)
