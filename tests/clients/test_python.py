"""`clients/python`: what every library for servers must do, and what concerns Python alone."""

import subprocess
import sys

from tests.clients.cases import answers
from tests.clients.library_driver import VIRTUAL, Driver, Library
from tests.clients.publisher import ROOT
from tests.clients.scripted_edge import scripted_edge
from tests.clients.server_suite import ServerLibrarySuite

_ENDED_BY_ANOTHER_THREAD = """
from placard.errors import RateLimitedError
from placard.retries import Retries
from placard.synchronous.transport import Transport

class Shared(Transport):
    values = iter([(0.0, RateLimitedError("rate_limited", "Wait.", status=429))])

    @property
    def _pause(self):
        return next(self.values, None)

    @_pause.setter
    def _pause(self, value):
        pass

never = lambda seconds: 1 / 0
own = {"retries": Retries(), "http": None, "sleep": never, "monotonic": lambda: 1.0}
Shared("http://127.0.0.1:1", "sk_x", kinds=["sk_"], server="The edge", timeout_s=1, **own)._await_pause()
"""
_LOGIN = """
from dataclasses import astuple
from placard.command_line.login import complete
from placard.command_line.profiles import Profile

def person(*answers):
    left = iter(answers)
    def ask(question):
        print(question)
        return next(left)
    return {"ask": ask, "ask_secret": ask}

stored = Profile("https://api.example", "https://edge.example", "ak_test_0123456789", "pk_test_0123456789")
print(astuple(complete(stored, Profile(), **person("", "ak_test_new", "", ""))))
print(astuple(complete(stored, Profile(edge_key="sk_test_new"), **person())))
answers = person("", "https://edge.example", "pk_test_first")
print(astuple(complete(Profile(), Profile("https://api.example"), **answers)))
"""


class TestPython(ServerLibrarySuite):
    library = Library("python", (sys.executable, "tests/driver.py"), {"PYTHONPATH": "."})

    async def test_a_response_whose_encoding_is_broken_is_none(self, driver: Driver) -> None:
        banner = answers()["banner"]
        broken = {"status": 200, "headers": {"Content-Encoding": "gzip"}, "text": "not gzip"}
        async with scripted_edge() as edge:
            edge.play({"serve": [broken, banner, broken]})
            await driver.do("open", edge_url=edge.url, edge_key="pk_test_any", **VIRTUAL)
            served, refused = [await driver.do("serve", request={"slot": "b"}) for _ in range(2)]

        assert (served["status"], served["pauses_ms"]) == ("filled", [500])
        assert (refused["error"]["code"], len(refused["pauses_ms"])) == ("network", 3)


def test_a_pause_may_be_ended_by_another_thread_at_any_moment() -> None:
    _run(_ENDED_BY_ANOTHER_THREAD)


def test_login_asks_for_everything_if_nothing_is_given_and_else_for_what_is_missing() -> None:
    assert _run(_LOGIN).splitlines() == [
        "Address of the management API [https://api.example]: ",
        "Integration key (ak_…) [ak_test_…6789]: ",
        "Address of the edge [https://edge.example]: ",
        "Secret or publishable key [pk_test_…6789]: ",
        "('https://api.example', 'https://edge.example', 'ak_test_new', 'pk_test_0123456789')",
        "('https://api.example', 'https://edge.example', 'ak_test_0123456789', 'sk_test_new')",
        "Integration key (ak_…), empty for none: ",
        "Address of the edge: ",
        "Secret or publishable key, empty for none: ",
        "('https://api.example', 'https://edge.example', '', 'pk_test_first')",
    ]


def _run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program],
        env={"PYTHONPATH": str(ROOT / "clients" / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
