"""Server of the Model Context Protocol: the compiler as tools of an agent, offline."""
