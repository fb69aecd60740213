"""Clients for asyncio. `placard.synchronous` is made from these modules by `python -m clients.generate`."""
