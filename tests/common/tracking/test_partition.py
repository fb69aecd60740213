"""One client, one partition, the same on every machine."""

from common.service.channels import LOG_PARTITIONS, partition_of


def test_the_partition_of_a_key_is_fixed() -> None:
    assert [partition_of(key) for key in (b"", b"a", b"client", bytes(8))] == [0, 3, 1, 1]


def test_keys_spread_over_all_partitions() -> None:
    counts = [0] * LOG_PARTITIONS
    for number in range(4_000):
        counts[partition_of(number.to_bytes(8, "big"))] += 1
    assert min(counts) > 800
