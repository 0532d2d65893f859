"""Jobs of other systems, checked in their own system."""
