"""An MCP proxy: what a server says of its tools is admitted before a model reads it, and what a model calls is judged before it runs.

Everything else passes byte for byte. What cannot be read does not pass.
"""
