"""The bits that draws are made of are the same on every machine, compiled or not."""

from hypothesis import given
from hypothesis import strategies as st

from common.decision.rules.splitmix64 import splitmix64
from tests.support.source import source_of

_source = source_of("common.decision.rules.splitmix64")
_BITS = st.integers(0, 2**64 - 1)


def test_the_mixer_is_the_finaliser_of_split_mix_64() -> None:
    # The second output of SplitMix64 from state 0 (Vigna's reference code).
    assert splitmix64(0, 2) == 0x6E789E6AA1B965F4


@given(_BITS, _BITS | st.integers(0, 4))
def test_compiled_and_python_versions_give_the_same_bits(seed: int, salt: int) -> None:
    assert splitmix64(seed, salt) == _source.splitmix64(seed, salt)
