"""The partition of the event log for a record: one rule for every log, its producers and its consumers."""

import zlib

from common.service.channels import LOG_PARTITIONS


def partition_of(partition_key: bytes) -> int:
    """CRC32 modulo the number of partitions: records of one client are in one partition, in order."""
    return zlib.crc32(partition_key) % LOG_PARTITIONS
