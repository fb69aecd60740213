"""
Reads an event record from its bytes: edges write the fields in one order, so nearly everything is found without JSON.

The fields that many events share are returned as raw bytes, which serve as a cache key.
"""

import re
from binascii import unhexlify

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_PLAIN = r"[ !#-\[\]-~]*"
"""Text without JSON escapes."""
_TEXT = f'(?:null|"{_PLAIN}")'
_ESCAPED = r'(?:null|"(?:[ !#-\[\]-~]|\\["\\])*")'
"""A user agent pattern, which may hold escaped quotation marks and backslashes."""
_COUNT = "(0|[1-9][0-9]{0,17})"
_INSTANT = "([1-9][0-9]{12})"
_BEGINS = re.compile(
    (
        rf'\{{"v":1,("edge":"{_PLAIN}","boot":"{_PLAIN}"),"seq":{_COUNT},"key":"(?:[0-9a-f]{{2}})*",'
        rf'"t":"event","body":\{{("kind":"[a-z_]+",)"token_id":"({_UUID})",'
        rf'"issued_ms":{_INSTANT},"at_ms":{_INSTANT},'
    ).encode()
).match
_BEHIND = b',"snapshot_version":'
_ENDS = re.compile(
    (
        rf'"snapshot_version":{_COUNT},"facts":\{{"ip_prefix":(?:null|"([0-9a-f:./]+)"),'
        rf'("user_agent_family":{_TEXT},"user_agent_major":{_TEXT}(?:,"user_agent_pattern":{_ESCAPED})?),'
        rf'"referrer_origin":{_TEXT},"origin":{_TEXT},'
        r'"client_hash":(?:null|"((?:[0-9a-f]{2}){1,16})"),"prefetch":(?:true|false)\},'
        r'("reason":"[a-z_]+","judge_version":[0-9]+,)"value_cents":null,"currency":null,"order_id":null,'
        r'("country":(?:null|"[a-z]{2}"),"device":(?:null|"[a-z_]+")),"person":(?:null|"([0-9a-f]{16})"),'
        rf'("signs":(?:null|[0-9]+),"lists_version":{_TEXT}(?:,"live_reason":(?:null|"[a-z_]+"))?'
        r'(?:,"held_until_day":[0-9]+)?)\}\}'
    ).encode()
).fullmatch
Scanned = tuple[
    bytes, int, bytes, bytes, int, int, int, bytes | None, bytes, str | None, bytes, bytes | None
]
"""
(writer, sequence, shared fields, token id, issued_ms, at_ms, snapshot version, network, agent, client, reader, person).

Shared fields: all that `control.events.ingest.parsed_records.SharedFields` hold, as JSON without the outer braces.
Agent: family, major and pattern. Reader: country and device. Token id (16 bytes) and person (8 bytes) are unpacked.
Writer, shared fields, network, agent and reader are as in the record. Records of older edges lack pattern and
``live_reason``; only those of a held token have ``held_until_day``.
"""


def scan(raw: bytes) -> Scanned | None:
    """
    Returns None where the record is no event, or is not written in the usual form.

    Does not check whether writer, shared fields, network, agent and reader are valid.
    """
    begins = _BEGINS(raw)
    if begins is None:
        return None
    writer, sequence, kind, token, issued_ms, at_ms = begins.groups()
    start = begins.end()
    behind = raw.find(_BEHIND, start) + 1
    ends = _ENDS(raw, behind) if behind else None
    if ends is None:
        return None
    snapshot, network, agent, client, verdict, reader, person, flags = ends.groups()
    return (
        writer,
        int(sequence),
        b"".join((kind, raw[start:behind], verdict, flags)),
        unhexlify(token.replace(b"-", b"")),
        int(issued_ms),
        int(at_ms),
        int(snapshot),
        network,
        agent,
        None if client is None else client.decode(),
        reader,
        None if person is None else unhexlify(person),
    )
