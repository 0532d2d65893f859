"""DeepSpeedJob of T9k."""
