"""What makes the pods of each kind of object, and makes them again."""
