"""Questions that the agent cannot show itself: requests that a person answers in a terminal of their own.

An approval is bound to one operation, byte for byte, is used once, and expires. The number of a request authorizes nothing.
"""
