"""Absolute times, which no test asserts: what the slowest untrusted input costs one machine."""
