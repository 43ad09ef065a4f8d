"""The examples for agent frameworks, run with models of the tests' own (``make test-frameworks``)."""
