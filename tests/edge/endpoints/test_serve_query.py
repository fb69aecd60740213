"""What a serve call may not say, and what is answered to those who mean harm."""

import pytest

from tests.edge.endpoints.targeted import DESKTOP, WINDOWS_EDGE, a_world, outcome

KEYWORDS = {"keywords": {"any": ["running", "trail shoes"], "none": ["crime"]}}


@pytest.mark.parametrize(
    ("query", "params"),
    [
        (f"keywords={','.join(str(n) for n in range(51))}", ["keywords"]),
        (f"keywords={'x' * 129}", ["keywords"]),
        ("keywords=a%00b", ["keywords"]),
        (f"kv.a={'x' * 129}&kv.=1&kv.%C3%A9=1&w=0", ["kv.", "kv.é", "kv.a", "w"]),
        ("&".join(f"kv.k{n}=1" for n in range(51)), ["kv"]),
    ],
)
async def test_what_no_campaign_could_name_is_refused_by_parameter(
    query: str, params: list[str]
) -> None:
    async with a_world(KEYWORDS) as world:
        answer = await world.ask(query)
    assert (answer.status, answer.code) == (422, "validation_failed")
    assert sorted(d["param"] for d in answer.json["error"]["details"]) == sorted(params)


async def test_faults_of_servers_parameters_are_told_to_servers_only() -> None:
    query = f"ip=somewhere&segments={'x' * 129}"
    async with a_world(DESKTOP) as world:
        server = await world.ask_by_secret(query)
        page = await world.ask(query, WINDOWS_EDGE)
    assert [d["param"] for d in server.json["error"]["details"]] == ["segments", "ip"]
    assert outcome(page) == "fill"


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("keywords=%FF%FE&lang=%FF&kv.a=%FF", ()),
        ("keywords=%ED%A0%80&ua=%ED%A0%80", ()),
        ("keywords=%&kv.a=%zz&lang=%", ()),
        ("&&&=&kv.&kv.=&keywords=&segments=", ()),
        (f"lang={'a-' * 2000}&ua={'(' * 2000}", ()),
        ("ip=" + "9" * 2000, ()),
        ("", (f"User-Agent: {'Mozilla/5.0 (' * 300}",)),
        ("", ("User-Agent: \xff\xfe", "Accept-Language: \xff;q=\xfe")),
        ("", (f"Accept-Language: {'en;q=0.5,' * 400}",)),
        ("", ("Accept-Language: ;;;q==,,q=;en;q=1.5;q=x",)),
    ],
)
async def test_hostile_input_is_answered_and_never_a_fault_of_ours(
    query: str, headers: tuple[str, ...]
) -> None:
    async with a_world(DESKTOP) as world:
        answers = [await world.ask(query, *headers), await world.ask_by_secret(query, *headers)]
    assert {answer.status for answer in answers} <= {200, 204, 400, 422}
