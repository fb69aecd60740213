"""A request's query as names and first values, read once. Several times cheaper than the general parser."""

from urllib.parse import unquote_plus

KEY_VALUE = "kv."

READ = frozenset(
    {"key", "slot", "format", "w", "h", "uid", "seen", "output", "debug", "preview_ad"}
    | {"gdpr", "gdpr_consent", "gpp", "gpp_sid", "us_privacy", "coppa", "lgpd", "npa"}
    | {"keywords", "lang", "segments", "ip", "ua"}
)
"""The others are accepted and not looked at: some are for what comes later, most are somebody else's."""


class Query(dict[str, str]):
    """Name to its first value; a parameter without a value is not in it."""

    key_values: list[tuple[str, str]] | tuple[()] = ()
    """What came as ``kv.NAME=VALUE``, every one of them, names without the prefix."""


def parse_query(text: str) -> Query:
    """What `urllib.parse.parse_qs` finds, first values only, of the names the edge reads."""
    found = Query()
    pairs: list[tuple[str, str]] | None = None
    for part in text.split("&"):
        name, _, value = part.partition("=")
        if not value:
            continue
        if name not in READ:
            if "%" in name or "+" in name:
                name = unquote_plus(name)
            if name[:3] == KEY_VALUE:
                if "%" in value or "+" in value:
                    value = unquote_plus(value)
                if pairs is None:
                    pairs = found.key_values = []
                pairs.append((name[3:], value))
                continue
            if name not in READ:
                continue
        if name not in found:
            found[name] = unquote_plus(value) if "%" in value or "+" in value else value
    return found
