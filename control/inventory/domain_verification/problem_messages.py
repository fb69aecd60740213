"""Messages for every problem of a check: what was found, and what to do next."""

from common.values.messages import Message
from control.inventory.domain_verification.check_result import Problem

_MESSAGE: dict[Problem, Message] = {
    Problem.RECORD_MISSING: Message("The TXT record does not exist."),
    Problem.RECORD_DIFFERS: Message("The TXT record exists, but has another value."),
    Problem.NAME_SERVERS_FAIL: Message("The domain's name servers return an error."),
    Problem.RESOLVERS_DISAGREE: Message("Not every resolver sees the record yet."),
    Problem.RESOLVER_SILENT: Message(
        "A DNS resolver did not respond in time, so the check has no result."
    ),
    Problem.TAG_MISSING: Message("The page's <head> contains no verification tag."),
    Problem.TAG_DIFFERS: Message(
        "The page's <head> contains a verification tag with another value."
    ),
    Problem.PAGE_NOT_OK: Message("The page returns an error status."),
    Problem.PAGE_UNREACHABLE: Message("The page could not be fetched."),
    Problem.PAGE_REFUSED: Message(
        "The page redirects to an address that the check does not follow."
    ),
    Problem.PAGE_ELSEWHERE: Message("The page redirects to another domain."),
    Problem.HELD_BY_ANOTHER: Message(
        "The proof is published, but another account has verified the domain."
    ),
}

_NEXT: dict[Problem, Message] = {
    Problem.RECORD_MISSING: Message(
        "Publish the TXT record exactly as given, wait until it has spread, and verify again."
    ),
    Problem.RECORD_DIFFERS: Message(
        "Compare the value with the one given, character by character, and verify again. "
        "Other TXT values may stay."
    ),
    Problem.NAME_SERVERS_FAIL: Message(
        "Check the domain's name servers and its DNSSEC signatures, then verify again."
    ),
    Problem.RESOLVERS_DISAGREE: Message(
        "Wait until the old record has expired from caches (its TTL), then verify again."
    ),
    Problem.RESOLVER_SILENT: Message("Verify again in a few minutes."),
    Problem.TAG_MISSING: Message(
        "Put the tag into the <head> of the front page, in the HTML that the server sends, "
        "and verify again."
    ),
    Problem.TAG_DIFFERS: Message(
        "Compare the tag's value with the one given, and verify again. Other verification "
        "tags may stay."
    ),
    Problem.PAGE_NOT_OK: Message(
        "Make the front page return status 200 to our user agent without a sign-in, and "
        "verify again."
    ),
    Problem.PAGE_UNREACHABLE: Message(
        "Check that the front page responds within ten seconds, by https or http, and verify again."
    ),
    Problem.PAGE_REFUSED: Message(
        "Serve the front page at public IP addresses on port 443 or 80, uncompressed on "
        "request, with at most three redirects and none from https to http."
    ),
    Problem.PAGE_ELSEWHERE: Message(
        "Verify by DNS, or register the property with the domain that the page redirects to."
    ),
    Problem.HELD_BY_ANOTHER: Message(
        "If the domain is yours now, remove the other verification record or tag from it and "
        "verify again, or contact support."
    ),
}


def message_of(problem: Problem | None) -> Message | None:
    return None if problem is None else _MESSAGE[problem]


def next_of(problem: Problem | None) -> Message:
    if problem is None:
        return Message("Leave the proof published: it is checked again every 30 days.")
    return _NEXT[problem]
