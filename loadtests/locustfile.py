"""
The mix of load: readers of a site and of an app, readers with frequency caps, a mail server, listeners, integrators,
advertisers in the dashboard, and an attacker.

`loadtests.run` runs it headless, with a shape and the gate. To run it by hand: ``.venv/bin/locust -f
loadtests/locustfile.py --host unused`` after ``make run``. ``LOAD_MIX`` chooses a mix of `loadtests.mixes`,
``LOAD_ONLY=Reader,Attacker`` selects users of it.
"""

import os
import sys
from typing import Any

import orjson
from locust import events
from locust.env import Environment
from locust.runners import WorkerRunner

from loadtests import shapes
from loadtests.gate import ask_oracle, judge
from loadtests.mixes import EVERYONE, choose_weights
from loadtests.users.advertiser import Advertiser
from loadtests.users.app import AppReader
from loadtests.users.attacker import Attacker
from loadtests.users.capped import CappedReader
from loadtests.users.integrator import Integrator
from loadtests.users.listener import Listener
from loadtests.users.mail import MailServer
from loadtests.users.paced import corrected, raised
from loadtests.users.reader import Reader
from loadtests.users.seen import acknowledged
from loadtests.users.stack import find_database_url
from loadtests.workers import count_lost

_ALL = (Reader, AppReader, CappedReader, MailServer, Listener, Integrator, Advertiser, Attacker)


def _choose_users(mix: str, only: str) -> None:
    """Locust runs every user class that it finds in this file, by its weight."""
    weights = choose_weights(mix, only)
    for one in _ALL:
        if one.__name__ in weights:
            one.weight = weights[one.__name__]
        else:
            del globals()[one.__name__]


_choose_users(os.environ.get("LOAD_MIX", EVERYONE), os.environ.get("LOAD_ONLY", ""))
# Locust runs a shape that it finds in this file, so only the chosen one has a name here.
if "LOAD_SHAPE" in os.environ:
    Shape = shapes.SHAPES[os.environ["LOAD_SHAPE"]]


@events.quitting.add_listener  # type: ignore[untyped-decorator]  # locust has no types for it
def _judge(environment: Environment, **_: Any) -> None:
    if isinstance(environment.runner, WorkerRunner):
        return  # its master judges the calls of all
    stats = environment.stats.total
    oracle = ask_oracle(find_database_url(), acknowledged)
    found = judge(
        stats.num_requests, stats.num_failures, corrected, oracle, raised, lost_workers=count_lost()
    )
    line = {
        "load": os.environ.get("LOAD_SHAPE", "by hand"),
        "mix": os.environ.get("LOAD_MIX", EVERYONE),
        **found.to_json(),
    }
    if os.environ.get("LOAD_SHAPE") == "break":
        line["held_calls_per_s"] = round(shapes.Break.held, 1)
        line["ok"] = shapes.Break.held > 0 and not (oracle and (oracle.lost or oracle.doubled))
    sys.stdout.write(f"{orjson.dumps(line).decode()}\n")
    if not line["ok"]:
        environment.process_exit_code = 1
    elif environment.process_exit_code is None:
        environment.process_exit_code = 0
