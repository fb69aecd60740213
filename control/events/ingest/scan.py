"""
An event's record by its bytes: what edges write stands in one order, so nearly all of it is found without reading it.

What many events have in common is handed out as the bytes it is, to be recognised by.
"""

import re
from binascii import unhexlify

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_PLAIN = r"[ !#-\[\]-~]*"
"""Text that JSON has as it is."""
_TEXT = f'(?:null|"{_PLAIN}")'
_ESCAPED = r'(?:null|"(?:[ !#-\[\]-~]|\\["\\])*")'
"""A pattern: it may hold quotation marks and backslashes."""
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
        rf'("signs":(?:null|[0-9]+),"lists_version":{_TEXT}(?:,"live_reason":(?:null|"[a-z_]+"))?)\}}\}}'
    ).encode()
).fullmatch
Scanned = tuple[
    bytes, int, bytes, bytes, int, int, int, bytes | None, bytes, str | None, bytes, bytes | None
]
"""
(writer, sequence, what is alike, token id, issued_ms, at_ms, snapshot version, network, agent, client, reader, person).

What is alike: all that `control.events.ingest.parsed_records.Traits` hold, as JSON has it but for the braces around.
Agent: family, major and pattern. Reader: country and device. Token id (16) and person (8) are unpacked; writer, what
is alike, network, agent and reader are as they stand in the record. Records of older edges lack pattern and
``live_reason``.
"""


def scan(raw: bytes) -> Scanned | None:
    """
    None: no event, or one that is not written as nearly all are.

    Not looked at: whether writer, what is alike, network, agent and reader are any that there may be.
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
    snapshot, network, agent, client, verdict, reader, person, sight = ends.groups()
    return (
        writer,
        int(sequence),
        b"".join((kind, raw[start:behind], verdict, sight)),
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
