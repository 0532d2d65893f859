"""Rules about ElasticJobs."""

SHARED_RULES = ("trainc.systems.shared.custom_resource.rules",)
