"""Properties of a job that several rules use."""
