"""Requests and approvals."""
