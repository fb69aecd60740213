"""Checks of Kafka: reachable, topics with their partitions, replicas and retention."""

from collections.abc import Iterable
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError

from common.service.channels import LOG_PARTITIONS
from common.service.kafka_connection import KafkaConnection
from control.operations.doctor.finding import Finding, error, note, ok, warning

_REQUEST_MS = 5_000
_REPLICAS = 3
_HOUR_MS = 3_600_000
_RETENTION_MS = 24 * _HOUR_MS
"""A day: so long may ingest be away before records leave the topic unread."""


async def check_kafka(kafka: KafkaConnection, topics: Iterable[str]) -> list[Finding]:
    """*topics*: those that edges create at their first event."""
    admin = AIOKafkaAdminClient(**kafka.client_arguments(), request_timeout_ms=_REQUEST_MS)
    try:
        await admin.start()
        brokers = (await admin.describe_cluster())["brokers"]
        found = [ok("kafka.reachable", f"Kafka responds with {len(brokers)} brokers.")]
        for topic in topics:
            found += await _check_topic(admin, topic, len(brokers))
    except (KafkaError, OSError, TimeoutError) as failure:
        text = f"Kafka at {kafka.bootstrap} cannot be used: {failure!r}."
        remedy = "Start the brokers, or correct the PLACARD_KAFKA_* settings."
        return [error("kafka.reachable", text, remedy)]
    else:
        return found
    finally:
        await admin.close()


async def _check_topic(admin: AIOKafkaAdminClient, topic: str, brokers: int) -> list[Finding]:
    description = (await admin.describe_topics([topic]))[0]
    if description["error_code"] or not description["partitions"]:
        text = f"The topic {topic} does not exist."
        return [note(f"kafka.{topic}", text, "An edge creates it at its first event.")]
    partitions = description["partitions"]
    settings = await _read_settings(admin, topic)
    return [
        _check_partitions(topic, len(partitions)),
        _check_replicas(topic, partitions, settings, brokers),
        _check_retention(topic, settings),
    ]


async def _read_settings(admin: AIOKafkaAdminClient, topic: str) -> dict[str, str]:
    """Returns the topic's settings by name; empty where the login may not read them."""
    answers = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
    settings: dict[str, str] = {}
    for answer in answers:
        for resource in answer.resources:
            settings |= {str(entry[0]): str(entry[1]) for entry in resource[4]}
    return settings


def _check_partitions(topic: str, count: int) -> Finding:
    text = f"The topic {topic} has {count} partitions."
    if count != LOG_PARTITIONS:
        remedy = f"Create it anew with exactly {LOG_PARTITIONS} partitions."
        return error(f"kafka.{topic}.partitions", text, remedy)
    return ok(f"kafka.{topic}.partitions", text)


def _check_replicas(
    topic: str, partitions: list[dict[str, Any]], settings: dict[str, str], brokers: int
) -> Finding:
    check = f"kafka.{topic}.replicas"
    replicas = min(len(part["replicas"]) for part in partitions)
    behind = sum(len(part["isr"]) < len(part["replicas"]) for part in partitions)
    if behind:
        text = f"{behind} partitions of {topic} lack an in-sync replica."
        return warning(check, text, "Look at the brokers' logs and disks.")
    text = f"The topic {topic} has {replicas} replicas."
    if replicas < _REPLICAS:
        remedy = "In production use three replicas and `min.insync.replicas=2`."
        return (warning if brokers >= _REPLICAS else note)(check, text, remedy)
    if int(settings.get("min.insync.replicas", "2")) < 2:  # noqa: PLR2004 - the majority of three
        text = f"`min.insync.replicas` of {topic} is 1: one broker's disk can lose acknowledged events."
        return warning(check, text, "Set it to 2.")
    return ok(check, text)


def _check_retention(topic: str, settings: dict[str, str]) -> Finding:
    check = f"kafka.{topic}.retention"
    if not settings:
        text = f"The login may not read the settings of {topic}."
        return note(check, text, "Allow `DescribeConfigs` to the doctor's user.")
    kept_ms = int(settings.get("retention.ms", "-1"))
    kept_bytes = int(settings.get("retention.bytes", "-1"))
    if "compact" in settings.get("cleanup.policy", ""):
        text = f"The topic {topic} is compacted, which deletes records."
        return error(check, text, "Set `cleanup.policy=delete`.")
    if 0 <= kept_ms < _RETENTION_MS:
        text = f"The topic {topic} keeps records for {kept_ms / _HOUR_MS:.1f} hours."
        remedy = "Set `retention.ms` to a day or more: longer than ingest may ever be away."
        return warning(check, text, remedy)
    if kept_bytes >= 0:
        text = f"The topic {topic} keeps {kept_bytes} bytes a partition, whether read or not."
        return note(check, text, "Set `retention.bytes=-1`, or watch the lag of ingest.")
    return ok(check, f"The topic {topic} keeps records long enough.")
