"""Rules about names, labels, podTemplate and the fields that a system supports."""
