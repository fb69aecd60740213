"""The embedded Kafka comes back from whatever happened to it."""

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from tests.support.servers import KafkaServer


async def test_kafka_keeps_acknowledged_records_when_killed(
    kafka: KafkaServer, namespace: str
) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    await admin.create_topics([NewTopic(namespace, num_partitions=1, replication_factor=1)])
    await admin.close()
    producer = AIOKafkaProducer(bootstrap_servers=kafka.bootstrap, enable_idempotence=True)
    await producer.start()
    await producer.send_and_wait(namespace, b"kept")
    await producer.stop()
    kafka.kill()
    kafka.start()
    consumer = AIOKafkaConsumer(bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest")
    await consumer.start()
    consumer.assign([TopicPartition(namespace, 0)])
    record = await consumer.getone()
    await consumer.stop()
    assert record.value == b"kept"
