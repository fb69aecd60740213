"""
The mix of load: readers who see ads, readers with frequency caps, and integrators who manage campaigns.

``make load`` runs it headless for a minute against the running stack. To run it by hand: ``.venv/bin/locust -f
loadtests/locustfile.py --host unused`` after ``make run``.
"""

from loadtests.users.capped import CappedReader
from loadtests.users.integrator import Integrator
from loadtests.users.reader import Reader

__all__ = ["CappedReader", "Integrator", "Reader"]
