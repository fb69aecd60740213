"""Which requests for a snapshot over HTTP are accepted, and which answers are trusted."""

import pytest

from common.service.secrets import KeyRing
from common.snapshot.codec import SnapshotInvalid
from common.snapshot.pull_auth import (
    LEEWAY_MS,
    SignatureInvalid,
    SignedPull,
    answer_holds,
    check_pull,
    deltas_target,
    pack_parts,
    parse_parts,
    prove_answer,
    sign_pull,
)
from common.values.environment import Environment

KEYS = KeyRing("k1", {"k1": b"1" * 32})
NOW_MS = 1_800_000_000_000
HEAD = SignedPull("GET", "/snapshot/live/head")


def test_a_request_with_a_key_of_the_group_is_accepted() -> None:
    proof = sign_pull(KEYS, HEAD, NOW_MS)
    check_pull(KEYS, HEAD, proof, NOW_MS + LEEWAY_MS)
    check_pull(KEYS, HEAD, proof, NOW_MS - LEEWAY_MS)


@pytest.mark.parametrize(
    "other",
    [
        SignedPull("POST", "/snapshot/live/head"),
        SignedPull("GET", "/snapshot/test/head"),
        SignedPull("GET", "/snapshot/live/head?after=1"),
        SignedPull("GET", "/snapshot/live/head", b"body"),
    ],
)
def test_a_proof_is_for_one_request(other: SignedPull) -> None:
    with pytest.raises(SignatureInvalid, match="proof is wrong"):
        check_pull(KEYS, other, sign_pull(KEYS, HEAD, NOW_MS), NOW_MS)


@pytest.mark.parametrize("later_ms", [LEEWAY_MS + 1, -LEEWAY_MS - 1])
def test_a_proof_is_valid_for_one_minute(later_ms: int) -> None:
    with pytest.raises(SignatureInvalid, match="clocks"):
        check_pull(KEYS, HEAD, sign_pull(KEYS, HEAD, NOW_MS), NOW_MS + later_ms)


def test_the_time_of_a_proof_cannot_be_changed() -> None:
    scheme, _, rest = sign_pull(KEYS, HEAD, NOW_MS).partition(" ")
    key, _, proof = rest.split(".")
    with pytest.raises(SignatureInvalid, match="proof is wrong"):
        check_pull(KEYS, HEAD, f"{scheme} {key}.{NOW_MS + 1}.{proof}", NOW_MS)


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer x",
        "Placard",
        "Placard k1",
        "Placard k1.x.00",
        "Placard k1.1.zz",
    ],
)
def test_a_request_without_proof_is_refused(authorization: str | None) -> None:
    with pytest.raises(SignatureInvalid, match="Sign the request"):
        check_pull(KEYS, HEAD, authorization, NOW_MS)


def test_a_key_of_another_group_is_refused() -> None:
    others = (KeyRing("k2", {"k2": b"2" * 32}), KeyRing("k1", {"k1": b"2" * 32}))
    for keys in others:
        with pytest.raises(SignatureInvalid, match="PLACARD_KEY_FILE"):
            check_pull(KEYS, HEAD, sign_pull(keys, HEAD, NOW_MS), NOW_MS)


def test_a_rotated_key_file_still_accepts_the_previous_key() -> None:
    rotated = KeyRing("k2", {"k1": b"1" * 32, "k2": b"2" * 32})
    proof = sign_pull(KEYS, HEAD, NOW_MS)
    check_pull(rotated, HEAD, proof, NOW_MS)
    assert answer_holds(KEYS, proof, b"body", prove_answer(rotated, proof, b"body"))


def test_an_answers_proof_covers_its_request_and_its_body() -> None:
    proof = sign_pull(KEYS, HEAD, NOW_MS)
    other = sign_pull(KEYS, HEAD, NOW_MS + 1)
    answer = prove_answer(KEYS, proof, b"body")
    assert answer_holds(KEYS, proof, b"body", answer)
    assert not answer_holds(KEYS, proof, b"bodY", answer)
    assert not answer_holds(KEYS, other, b"body", answer)
    assert not answer_holds(KEYS, proof, b"body", None)


def test_packed_parts_are_unpacked_unchanged() -> None:
    parts = [b"", b"one", b"x" * 70_000]
    assert parse_parts(pack_parts(parts)) == parts
    assert parse_parts(b"") == []


@pytest.mark.parametrize("cut", [1, 4, 6])
def test_parts_that_are_cut_off_are_invalid(cut: int) -> None:
    with pytest.raises(SnapshotInvalid, match="cut off"):
        parse_parts(pack_parts([b"one"])[:-cut])


def test_targets_name_what_is_requested() -> None:
    assert deltas_target(Environment.TEST, 3, 9) == "/snapshot/test/deltas?after=3&through=9"
