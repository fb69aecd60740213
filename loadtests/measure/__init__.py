"""Absolute times, which no test asserts: what one machine takes for the worst that a stranger can send."""
