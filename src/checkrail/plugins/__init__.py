"""Agent Plugins packages: read exactly as the standard says, acquired as data, judged for what they would bring in."""
