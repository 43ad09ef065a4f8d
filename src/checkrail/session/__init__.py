"""What a session has done so far, beyond the single call."""
