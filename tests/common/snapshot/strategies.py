"""Snapshot objects of any content, with ids from a small pool so that they meet."""

from hashlib import sha256

from hypothesis import settings
from hypothesis import strategies as st

from common.snapshot.codec import encode_object
from common.snapshot.messages import ObjectChange
from common.snapshot.model import (
    TYPE_OF,
    Account,
    Ad,
    Campaign,
    Key,
    ObjectType,
    Property,
    RateLimits,
    SecretState,
    SigningSecret,
    Size,
    Slot,
    SnapshotObject,
)
from common.values.enums import (
    AccountState,
    AdStatus,
    CampaignStatus,
    Format,
    PricingModel,
    Priority,
    PropertyStatus,
    SlotStatus,
)
from common.values.environment import Environment
from common.values.keys import KeyKind

few = settings(max_examples=40, deadline=None)
"""The machine may be busy: how long an example takes says nothing."""

ids = st.integers(1, 4).map(lambda n: f"00000000-0000-7000-8000-{n:012d}")
words = st.text(max_size=12)
instants = st.none() | st.integers(0, 1 << 42)

accounts = st.builds(Account, ids, st.sampled_from(AccountState), st.booleans(), st.booleans())
secrets = st.builds(SigningSecret, st.integers(1, 9), words, st.sampled_from(SecretState))
limits = st.builds(RateLimits, *[st.integers(1, 9999)] * 4)
properties = st.builds(
    Property,
    id=ids,
    status=st.sampled_from(PropertyStatus),
    token_ttl_seconds=st.integers(5, 86_400),
    rate_limits=limits,
    sdk=words,
    secrets=st.lists(secrets, max_size=2).map(tuple),
)
slots = st.builds(
    Slot,
    id=ids,
    property_id=ids,
    key=st.sampled_from(["top", "side", "foot"]),
    formats=st.lists(st.sampled_from(Format), max_size=2).map(tuple),
    sizes=st.lists(st.builds(Size, st.integers(1, 999), st.integers(1, 999)), max_size=2).map(
        tuple
    ),
    floor_micros=st.integers(0, 1 << 50),
    refresh_seconds=st.none() | st.integers(1, 9999),
    status=st.sampled_from(SlotStatus),
)


def _key(key_id: str, kind: KeyKind, account_id: str, revoked: int | None) -> Key:
    """Of one id, one hash, as it is with real keys."""
    return Key(
        id=key_id,
        hash=sha256(key_id.encode()).hexdigest(),
        kind=kind,
        environment=Environment.TEST,
        property_id=key_id,
        account_id=account_id,
        revoked_at_ms=revoked,
        expires_at_ms=None,
    )


keys = st.builds(_key, ids, st.sampled_from(KeyKind), ids, instants)
campaigns = st.builds(
    Campaign,
    id=ids,
    account_id=ids,
    property_ids=st.lists(ids, max_size=3, unique=True).map(tuple),
    environment=st.just(Environment.TEST),
    status=st.sampled_from(CampaignStatus),
    priority=st.sampled_from(Priority),
    pricing_model=st.sampled_from(PricingModel),
    start_at_ms=instants,
    end_at_ms=instants,
    bid_micros=st.integers(0, 1 << 50),
)
ads = st.builds(
    Ad,
    id=ids,
    campaign_id=ids,
    environment=st.just(Environment.TEST),
    format=st.sampled_from(Format),
    width=st.none() | st.integers(1, 999),
    height=st.none() | st.integers(1, 999),
    weight=st.integers(1, 100),
    status=st.sampled_from(AdStatus),
)
objects: st.SearchStrategy[SnapshotObject] = st.one_of(
    accounts, properties, slots, keys, campaigns, ads
)


def entry_of(item: SnapshotObject) -> ObjectChange:
    return ObjectChange(TYPE_OF[type(item)], item.id, encode_object(item))


entries = objects.map(entry_of) | st.builds(
    ObjectChange, st.sampled_from(ObjectType), ids, st.none()
)
full_entries = st.lists(objects, max_size=12, unique_by=lambda o: (type(o), o.id)).map(
    lambda items: tuple(entry_of(item) for item in items)
)
