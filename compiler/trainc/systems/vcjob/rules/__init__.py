"""Rules about Jobs of Volcano."""

SHARED_RULES = ("trainc.systems.shared.custom_resource.rules",)
