"""AppWrapper: a wrapper of other objects, of which only the reader exists."""
