"""Rules about MPIJobs."""

SHARED_RULES = ("trainc.systems.shared.custom_resource.rules",)
