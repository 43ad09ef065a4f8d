"""Real agents, driven offline against a scripted model on the loopback interface (``make test-agents``)."""
