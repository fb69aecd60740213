"""Stitched audio: a request becomes ad breaks, and what listeners receive of them is counted (ADR 66)."""
