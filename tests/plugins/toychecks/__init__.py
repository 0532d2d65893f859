"""Check of another distribution, enabled by TRAINC_CHECKS."""
