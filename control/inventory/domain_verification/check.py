"""Looks for a domain's proof, in its TXT record or on its front page. Makes network requests."""

import asyncio
from collections.abc import Sequence

from common.fetching.web import (
    Fetcher,
    FetchRefusal,
    LookUp,
    LookUpOutcome,
    NotFetched,
    Page,
    RecordKind,
    Resolver,
)
from control.foundation.public_suffixes import registrable_domain
from control.inventory.domain_verification.check_result import (
    Finding,
    Observation,
    Outcome,
    Problem,
)
from control.inventory.domain_verification.tags import find_tags
from control.inventory.domain_verification.verification_state import DomainProof, Method

_SUCCESS = range(200, 300)
_MAX_VALUES = 20
_MAX_CHARS = 255
_PLAIN_HTTP_MAY_HELP = frozenset(
    {FetchRefusal.NOT_CONNECTED, FetchRefusal.TLS_FAILED, FetchRefusal.NOT_HTTP}
)
_REFUSED_BY_US = frozenset(
    {
        FetchRefusal.URL_INVALID,
        FetchRefusal.SCHEME_NOT_ALLOWED,
        FetchRefusal.PORT_NOT_ALLOWED,
        FetchRefusal.HOST_NOT_ALLOWED,
        FetchRefusal.ADDRESS_NOT_PUBLIC,
        FetchRefusal.DOWNGRADED,
        FetchRefusal.TOO_MANY_REDIRECTS,
        FetchRefusal.ENCODED,
    }
)


def record_name(domain: str) -> str:
    return f"_service-ad.{domain}"


async def find_proof(
    proof: DomainProof, domain: str, *, resolver: Resolver, fetcher: Fetcher
) -> Finding:
    """
    Look for the proof. Never raises for a failure outside.
    Proofs of other accounts next to this one do not matter.
    """
    match proof.method:
        case Method.DNS:
            answers = await resolver.resolve_all(record_name(domain), RecordKind.TEXT)
            return check_records(answers, proof.token)
        case Method.HTML_TAG:
            page = await _front_page(fetcher, domain)
            return await asyncio.to_thread(check_page, page, domain, proof.token)


def check_records(answers: Sequence[LookUp], token: str) -> Finding:
    """Proven if every server has the token. Absent if every server failed, or answered definitely and none has it."""
    saw = tuple(_record_sighting(answer) for answer in answers)
    having = [any(value.strip() == token for value in answer.values) for answer in answers]
    if all(having):
        return Finding(Outcome.PROVEN, saw)
    outcomes = {answer.outcome for answer in answers}
    if outcomes == {LookUpOutcome.FAILED}:
        return Finding(Outcome.ABSENT, saw, Problem.NAME_SERVERS_FAIL)
    if not all(outcome.is_definite for outcome in outcomes):
        return Finding(Outcome.UNDECIDED, saw, Problem.RESOLVER_SILENT)
    if any(having):
        return Finding(Outcome.UNDECIDED, saw, Problem.RESOLVERS_DISAGREE)
    differs = LookUpOutcome.FOUND in outcomes
    return Finding(
        Outcome.ABSENT, saw, Problem.RECORD_DIFFERS if differs else Problem.RECORD_MISSING
    )


def check_page(page: Page | NotFetched, domain: str, token: str) -> Finding:
    if isinstance(page, NotFetched):
        return _check_not_fetched(page)
    tags = find_tags(page.body)
    saw = (Observation(page.url, "fetched", _shown(tags), page.status, page.redirects),)
    if page.status not in _SUCCESS:
        return Finding(Outcome.ABSENT, saw, Problem.PAGE_NOT_OK)
    if not _is_of(page.url, domain):
        return Finding(Outcome.ABSENT, saw, Problem.PAGE_ELSEWHERE)
    if token in tags:
        return Finding(Outcome.PROVEN, saw)
    return Finding(Outcome.ABSENT, saw, Problem.TAG_DIFFERS if tags else Problem.TAG_MISSING)


async def _front_page(fetcher: Fetcher, domain: str) -> Page | NotFetched:
    """Fetch the front page over https, or over http if no https server answers."""
    page = await fetcher.fetch(f"https://{domain}/")
    if isinstance(page, NotFetched) and not page.redirects and page.reason in _PLAIN_HTTP_MAY_HELP:
        plain = await fetcher.fetch(f"http://{domain}/", plain_http=True)
        return plain if isinstance(plain, Page) else page
    return page


def _check_not_fetched(page: NotFetched) -> Finding:
    saw = (Observation(page.url, page.reason.value, redirects=page.redirects),)
    if page.reason is FetchRefusal.NAME_UNDECIDED:
        return Finding(Outcome.UNDECIDED, saw, Problem.RESOLVER_SILENT)
    if page.reason in _REFUSED_BY_US:
        return Finding(Outcome.ABSENT, saw, Problem.PAGE_REFUSED)
    return Finding(Outcome.ABSENT, saw, Problem.PAGE_UNREACHABLE)


def _is_of(url: str, domain: str) -> bool:
    """
    Whether the redirects stayed within the registrable domain of *domain*: beyond it,
    others may control the tags.
    """
    host = url.split("/")[2].partition(":")[0]
    return registrable_domain(host) == registrable_domain(domain)


def _record_sighting(answer: LookUp) -> Observation:
    return Observation(answer.server, answer.outcome.value, _shown(answer.values))


def _shown(values: Sequence[str]) -> tuple[str, ...]:
    """Values published by others, truncated to the size limits of a response."""
    return tuple(value[:_MAX_CHARS] for value in values[:_MAX_VALUES])
