"""Writes the models and operations of the server libraries from `docs/openapi.json`."""
