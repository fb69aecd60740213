"""Absolute times, which no test asserts: what the slowest input of a stranger costs one machine."""
