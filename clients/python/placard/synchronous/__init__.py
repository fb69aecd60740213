# Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.
"""Blocking clients."""
