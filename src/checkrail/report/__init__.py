"""What a log tells people: a report to look at, and suggestions for the policy."""
