"""How a standing moves, without an internet around it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from common.fetching.web import FetchRefusal, LookUp, LookUpOutcome, NotFetched
from control.inventory.domain_verification import rules
from control.inventory.domain_verification.check import check_page, check_records
from control.inventory.domain_verification.check_result import Finding, Outcome, Problem
from control.inventory.domain_verification.problem_messages import message_of, next_of
from control.inventory.domain_verification.rules import Recheck
from control.inventory.domain_verification.tags import find_tags, tag_for
from control.inventory.domain_verification.verification_state import (
    DomainProof,
    Method,
    VerificationState,
    column_of,
    parse_state,
)

NOW = datetime(2027, 1, 15, 8, tzinfo=UTC)
ID = "01940b3e-0000-7000-8000-0000000000b1"
HELD = VerificationState(
    domain="a.example", requested=DomainProof(Method.DNS, "t"), held=DomainProof(Method.DNS, "t")
)
OUTCOMES = list(LookUpOutcome)

proofs = st.none() | st.builds(DomainProof, st.sampled_from(Method), st.text("abc", min_size=1))
instants = st.none() | st.integers(0, 10**6).map(lambda s: NOW + timedelta(seconds=s))
standings = st.builds(
    VerificationState,
    domain=st.none() | st.just("a.example"),
    requested=proofs,
    held=proofs,
    checked_at=instants,
    last_error=st.none() | st.text(min_size=1),
    failing_since=instants,
)


@given(standings)
def test_a_verification_state_is_decoded_as_it_was_encoded(state: VerificationState) -> None:
    assert parse_state(column_of(state)) == state


@given(st.lists(st.tuples(st.sampled_from(Outcome), st.integers(0, 40)), max_size=40))
def test_a_property_is_lost_after_the_grace_and_not_before(
    looks: list[tuple[Outcome, int]],
) -> None:
    """Whatever is found in whatever order, days apart: an undecided look changes nothing."""
    state, now = HELD, NOW
    failing: datetime | None = None
    for outcome, days in looks:
        now += timedelta(days=days)
        done = rules.after_recheck(state, Finding(outcome, ()), ID, now)
        match outcome:
            case Outcome.PROVEN:
                failing = None
            case Outcome.UNDECIDED:
                assert done.state == state
            case Outcome.ABSENT if failing is None:
                failing = now
                assert done.verdict is Recheck.WARNED
            case Outcome.ABSENT:
                due = now - failing >= timedelta(days=7)
                assert (done.verdict is Recheck.LOST) == due
        if done.verdict is Recheck.LOST:
            assert done.state.held is None
            assert done.due_at is None
            return
        assert done.due_at is not None
        assert done.due_at > now
        state = done.state
        assert state.failing_since == failing


def test_asking_for_the_held_method_again_gives_the_held_proof() -> None:
    other = rules.request_proof(HELD, "a.example", Method.HTML_TAG, "new")
    back = rules.request_proof(other, "a.example", Method.DNS, "newer")

    assert other.requested == DomainProof(Method.HTML_TAG, "new")
    assert other.held == back.requested == back.held == HELD.held


def test_another_method_drops_what_the_first_one_found() -> None:
    asked = rules.request_proof(VerificationState(), "a.example", Method.HTML_TAG, "one")
    missing = Finding(Outcome.ABSENT, (), Problem.TAG_MISSING)
    failed = rules.not_proven(asked, missing, NOW)

    again = rules.request_proof(failed, "a.example", Method.HTML_TAG, "two")
    other = rules.request_proof(failed, "a.example", Method.DNS, "two")

    assert again == failed
    assert (other.last_error, other.checked_at) == (None, None)


def test_properties_verified_together_are_due_apart() -> None:
    due = {rules.next_check_at(f"{ID[:-2]}{number:02}", NOW) for number in range(50)}

    assert len(due) == 50
    assert max(due) - min(due) < timedelta(days=1)
    assert all(abs(at - NOW - timedelta(days=30)) <= timedelta(hours=12) for at in due)


@pytest.mark.parametrize("one", OUTCOMES)
@pytest.mark.parametrize("other", OUTCOMES)
def test_only_two_that_see_the_token_prove_it(one: LookUpOutcome, other: LookUpOutcome) -> None:
    answers = [
        LookUp(name, outcome, ("t",) if outcome is LookUpOutcome.FOUND else ())
        for name, outcome in (("1", one), ("2", other))
    ]

    found = check_records(answers, "t")

    both = one is other is LookUpOutcome.FOUND
    assert (found.outcome is Outcome.PROVEN) == both
    assert (found.problem is None) == both
    if LookUpOutcome.TIMED_OUT in (one, other):
        assert found.outcome is not Outcome.ABSENT


@pytest.mark.parametrize("value", ["T", "t ", "tt", "", '"t"', "x t"])
def test_a_token_is_compared_whole(value: str) -> None:
    answers = [LookUp(name, LookUpOutcome.FOUND, (value,)) for name in "12"]

    assert (check_records(answers, "t").outcome is Outcome.PROVEN) == (value == "t ")


@pytest.mark.parametrize("reason", list(FetchRefusal))
def test_every_refusal_of_the_fetcher_is_a_problem_with_words(reason: FetchRefusal) -> None:
    found = check_page(NotFetched("https://a.example/", reason), "a.example", "t")

    assert found.outcome is not Outcome.PROVEN
    assert message_of(found.problem)
    assert found.saw[0].outcome == reason.value


@pytest.mark.parametrize("problem", list(Problem))
def test_every_problem_says_what_it_is_and_what_to_do(problem: Problem) -> None:
    assert message_of(problem)
    assert next_of(problem)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (tag_for("t"), ("t",)),
        (f"<html><head>{tag_for('a')}{tag_for('b')}</head></html>", ("a", "b")),
        ("<META NAME='Service-Ad-Verification' CONTENT=' t '>", ("t",)),
        ("<head><meta name=service-ad-verification></head>", ()),
        ("<head><meta property=service-ad-verification content=t></head>", ()),
        (f"<head><!-- {tag_for('t')} --></head>", ()),
        (f"<head><script>'{tag_for('t')}'</script></head>", ()),
        (f"<head><title>{tag_for('t')}</title></head>", ()),
        (f"<body>{tag_for('t')}</body>", ()),
        (f"<head></head><body><div>{tag_for('t')}</div></body>", ()),
        (f"<head><template>{tag_for('t')}</template></head>", ()),
        (f"<head><template><div></template>{tag_for('t')}</head>", ("t",)),
        (f"<head><title>a</title><link href='>'>{tag_for('t')}", ("t",)),
        (f"<head><noscript><img></noscript>{tag_for('t')}", ("t",)),
        (f"<head>{tag_for('a')}<p>{tag_for('b')}", ("a",)),
        (f"<head>{tag_for('a')}A visitor's words: {tag_for('b')}", ("a",)),
        (f"<head>{tag_for('a')}</head>{tag_for('b')}", ("a",)),
        (f'<head><meta content="{tag_for("t")}', ()),
        ("<head><meta name=service-ad-verification content='a&#45;b'>", ("a-b",)),
    ],
)
def test_only_tags_of_the_head_count(page: str, expected: tuple[str, ...]) -> None:
    assert find_tags(page.encode()) == expected


_PIECES = (
    *("<html>", "<head>", "<title>", "</title>", "<style>", "</style>"),
    *(
        "<!--",
        "-->",
        "<!",
        "<?",
        "</",
        ">",
        "<",
        "/",
        "=",
        "'",
        '"',
        " ",
        "<template>",
        "</template>",
    ),
    *("<meta", "<link>", "<div>", "<body>", "content=x", "words", tag_for("t"), tag_for("u")),
)


@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))
def test_the_parser_finds_the_tags_that_a_browser_would(page: str) -> None:
    tree = LexborHTMLParser(page).css('head > meta[name="service-ad-verification"]')
    seen = tuple(node.attributes["content"] for node in tree if node.attributes.get("content"))
    assert find_tags(page.encode()) == seen


_ENDLESS = (
    "<div>",
    "<a><div></a>",
    "<meta a=b>",
    "<!---->",
    "<!--",
    "<",
    "<meta a='",
    "<template>",
)


@pytest.mark.parametrize("piece", _ENDLESS)
def test_a_page_of_half_a_megabyte_is_read_in_one_pass(piece: str) -> None:
    """A tree of the first of them took minutes; `make measure-parsers` says what the pass takes."""
    page = f"<head>{tag_for('t')}{piece * (524_288 // len(piece))}{tag_for('u')}"
    assert find_tags(page.encode()) == ("t",)


@given(st.binary(max_size=2000))
def test_no_page_breaks_the_parser(body: bytes) -> None:
    assert isinstance(find_tags(b"<head>" + body), tuple)


def test_a_lost_verification_keeps_its_requested_method() -> None:
    lost = rules.lost(replace(HELD, failing_since=NOW))

    assert (lost.requested, lost.held, lost.failing_since) == (HELD.requested, None, None)
