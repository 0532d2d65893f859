"""Objects and parts of objects that several back ends emit."""
