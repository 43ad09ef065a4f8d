"""Whether a tool's description may enter a model's context: the descriptive channel, its divergence from the schema, pins."""
