"""How fast trainc is, in figures that do not depend on the machine: instructions, ratios, growth."""
