"""DeepSpeed's launchers, with and without ssh."""
