"""Two processes of the API, one limit."""

from control.api.rate_limit_sync import exchange_once
from control.foundation.rate_limit import Rate, RateLimiter
from tests.support.control_api import DatabaseTemplate, running_control
from tests.support.servers import PostgresServer, RedisServer

_RATE = Rate(10, 1.0, burst=30)


def _admitted(limiter: RateLimiter, calls: int, now_s: float) -> int:
    return sum(limiter.admit("a", _RATE, now_s) == 0 for _ in range(calls))


def test_calls_in_other_processes_count_here() -> None:
    here, there = RateLimiter(), RateLimiter()
    _admitted(here, 20, 5.0)

    there.charge(here.take_spent(), 9.0)  # its clock has another origin

    assert there.status("a", _RATE, 9.0).left == 10
    assert _admitted(there, 100, 9.0) == 10


def test_calls_of_other_processes_cause_a_bounded_wait() -> None:
    here = RateLimiter()
    others = [RateLimiter() for _ in range(50)]
    for other in others:
        _admitted(other, 30, 0.0)
        here.charge(other.take_spent(), 0.0)

    assert _admitted(here, 1, 0.0) == 0
    assert _admitted(here, 100, 12.0) == 30


def test_the_rate_holds_over_all_processes() -> None:
    """A caller who spreads its calls gets the rate, and a burst of each process once."""
    processes = [RateLimiter() for _ in range(4)]
    admitted, seconds = 0, 60
    for tick in range(2 * seconds):
        now_s = tick / 2
        admitted += sum(_admitted(one, 50, now_s) for one in processes)
        reported = [one.take_spent() for one in processes]
        for one in processes:
            for by, spent in zip(processes, reported, strict=True):
                if by is not one:
                    one.charge(spent, now_s)

    promised = _RATE.count * seconds
    assert 0.9 * promised <= admitted <= 1.1 * promised + len(processes) * _RATE.burst


def test_shared_reports_contain_no_caller_names() -> None:
    limiter = RateLimiter()
    limiter.admit("sign-in:ana@acme.example:192.0.2.7", _RATE, 0.0)

    assert "ana" not in "".join(limiter.take_spent())
    assert limiter.take_spent() == {}


async def test_a_caller_cannot_double_its_rate_by_calling_two_processes(
    migrated: DatabaseTemplate,
    postgres_server: PostgresServer,
    redis_server: RedisServer,
    namespace: str,
) -> None:
    url, folder = migrated.new_database(), postgres_server.folder
    settings = {
        "management_per_key_s": 1,
        "redis_url": redis_server.url,
        "namespace": namespace,
    }
    async with (
        running_control(url, folder, **settings) as one,
        running_control(url, folder, **settings) as other,
    ):
        key = await one.add_key(await one.sign_up())
        for api in (one, other):
            await exchange_once(api.control)
        for _ in range(3):
            assert (await one.http.get("/v1/me", headers=key.headers)).is_success
        for api in (one, other):
            await exchange_once(api.control)

        refused = await other.http.get("/v1/me", headers=key.headers)

    assert refused.status_code == 429
