"""Messages for every problem of a check: what was found, and what to do next."""

from control.inventory.domain_verification.check_result import Problem

_MESSAGE: dict[Problem, str] = {
    Problem.RECORD_MISSING: "There is no such TXT record.",
    Problem.RECORD_DIFFERS: "The TXT record is there, but holds another value.",
    Problem.NAME_SERVERS_FAIL: "The domain's name servers answer with an error.",
    Problem.RESOLVERS_DISAGREE: "Not every resolver sees the record yet.",
    Problem.RESOLVER_SILENT: "A resolver did not answer in time, so nobody could tell.",
    Problem.TAG_MISSING: "The page's head holds no verification tag.",
    Problem.TAG_DIFFERS: "The page's head holds a verification tag with another content.",
    Problem.PAGE_NOT_OK: "The page answers with an error status.",
    Problem.PAGE_UNREACHABLE: "The page could not be fetched.",
    Problem.PAGE_REFUSED: "The page leads to where we do not go.",
    Problem.PAGE_ELSEWHERE: "The page redirects to another domain.",
    Problem.HELD_BY_ANOTHER: "Your proof is there, but the domain is verified by another account.",
}

_NEXT: dict[Problem, str] = {
    Problem.RECORD_MISSING: "Publish the TXT record exactly as given, wait until it is out, and verify again.",
    Problem.RECORD_DIFFERS: (
        "Compare the value with the one given, letter for letter; other TXT values may stay beside it. Verify again."
    ),
    Problem.NAME_SERVERS_FAIL: "Look at the domain's name servers and its DNSSEC signatures, then verify again.",
    Problem.RESOLVERS_DISAGREE: "Wait until the old answer has run out (the record's TTL), then verify again.",
    Problem.RESOLVER_SILENT: "Nothing was decided. Verify again in a few minutes.",
    Problem.TAG_MISSING: "Put the tag into the <head> of the front page as the server sends it, and verify again.",
    Problem.TAG_DIFFERS: "Compare the tag's content with the one given; several tags may stand there. Verify again.",
    Problem.PAGE_NOT_OK: "Let the front page answer 200 to our user agent without signing in, and verify again.",
    Problem.PAGE_UNREACHABLE: "Check that the front page answers within ten seconds, by https or http.",
    Problem.PAGE_REFUSED: (
        "Serve the front page at public addresses, on port 443 or 80, uncompressed when asked to, with at most three "
        "redirects and none from https to http."
    ),
    Problem.PAGE_ELSEWHERE: "Verify by dns, or register the property with the domain that the page leads to.",
    Problem.HELD_BY_ANOTHER: (
        "If the domain is yours now, remove the other verification record or tag from it and verify again; "
        "or ask support."
    ),
}


def message_of(problem: Problem | None) -> str | None:
    return None if problem is None else _MESSAGE[problem]


def next_of(problem: Problem | None) -> str:
    if problem is None:
        return "Leave what you published where it is: it is looked for again every 30 days."
    return _NEXT[problem]
