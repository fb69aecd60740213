"""Fetches pages and files at untrusted addresses, and reaches nothing but the public internet (ADR 66)."""
