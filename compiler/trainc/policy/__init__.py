"""Policy of an organization, judged on the objects that are applied, so that no field of a job file passes it by."""
