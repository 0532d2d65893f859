"""Rules about names, labels, the image, podTemplate and the fields that a system supports."""
