"""Which partition of the event log a record comes to: one rule for every log and both of its ends."""

import zlib

from common.service.channels import LOG_PARTITIONS


def partition_of(partition_key: bytes) -> int:
    """CRC32 modulo the partitions: records of one client meet in one partition, in order."""
    return zlib.crc32(partition_key) % LOG_PARTITIONS
