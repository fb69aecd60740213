"""Evidence of a tracking request: complete in memory for the judge, reduced for everything that is stored."""

from dataclasses import dataclass

from common.ivt.judge import IvtInput
from common.privacy.anonymize import find_address, find_origin, find_prefix, hash_client
from common.snapshot.model import Campaign
from common.tracking.event import RequestFacts
from common.tracking.token import TokenPayload
from common.values.enums import EventKind, QualitySignal
from edge.request.call import Call, readable_agent


@dataclass(slots=True, init=False, repr=False)
class RequestEvidence:
    """One request's raw values. It has no repr, so that they cannot end in a log."""

    ip: str
    user_agent: str | None
    origin: str | None
    referrer: str | None
    prefetch: bool
    server_caller: bool

    def __init__(
        self,
        ip: str,
        user_agent: str | None,
        origin: str | None,
        referrer: str | None,
        *,
        prefetch: bool,
        server_caller: bool,
    ) -> None:
        self.ip = ip
        self.user_agent = user_agent
        self.origin = origin
        self.referrer = referrer
        self.prefetch = prefetch
        self.server_caller = server_caller


def request_evidence(
    call: Call, *, ip: str, server_caller: bool, user_agent: str | None = None
) -> RequestEvidence:
    """
    *ip*: the client's address, as found behind the trusted proxies, or as sent by a trusted server. *user_agent*: as
    sent by such a server; None: the header's.
    """
    headers, caller = call.headers, call.caller
    return RequestEvidence(
        ip,
        readable_agent(user_agent) if user_agent else caller.agent,
        headers.get("origin"),
        headers.get("referer"),
        prefetch=caller.prefetch,
        server_caller=server_caller,
    )


def to_ivt_input(
    shown: RequestEvidence,
    token: TokenPayload,
    kind: EventKind | QualitySignal,
    now_ms: int,
    campaign: Campaign | None,
) -> IvtInput:
    """Input of the judge; it stays in the process. *campaign*: from the snapshot, None if it is not there."""
    return IvtInput(
        address=find_address(shown.ip),
        user_agent=shown.user_agent,
        origin=find_origin(shown.origin),
        prefetch=shown.prefetch,
        server_caller=shown.server_caller,
        is_test=token.is_test,
        consent_limited=token.consent_limited,
        surface=token.surface,
        issued_ms=token.issued_ms,
        at_ms=now_ms,
        kind=kind,
        campaign_ends_ms=None if campaign is None else campaign.end_at_ms,
    )


def to_stored_facts(
    shown: RequestEvidence, showing: IvtInput, property_id: str, salt: bytes
) -> RequestFacts:
    """Facts for the record; they do not identify a person."""
    agent = showing.agent
    return RequestFacts(
        ip_prefix=find_prefix(shown.ip),
        user_agent_family=None if agent is None else agent.family,
        user_agent_major=None if agent is None else agent.major,
        user_agent_pattern=None if agent is None else agent.pattern,
        referrer_origin=find_origin(shown.referrer),
        origin=showing.origin,
        # A server calls for many users: what it does in a minute is no evidence about one of them.
        client_hash=None
        if shown.server_caller
        else hash_client(salt, property_id, shown.ip, shown.user_agent or ""),
        prefetch=shown.prefetch,
    )
