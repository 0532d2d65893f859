"""Rules about JobSets."""

SHARED_RULES = ("trainc.systems.shared.custom_resource.rules",)
