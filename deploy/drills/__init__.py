"""Drills: each takes something away from a running stack, gives it back, and counts what was lost. On real servers."""
