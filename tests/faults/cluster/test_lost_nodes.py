"""The whole stack on a Redis Cluster, while the node of one role after the other is taken away from it."""

from collections import Counter

import pytest

from common.service.channels import Channels
from common.values.environment import Environment
from tests.faults.oracle import Traffic
from tests.faults.stack import NAMESPACE
from tests.support.redis_servers import ClusterOfRedis

pytestmark = pytest.mark.faults
NAMES = Channels(NAMESPACE, is_cluster=True)
LOG, SNAPSHOT = NAMES.log_stream(0), NAMES.snapshot_head(Environment.LIVE)


@pytest.mark.parametrize("fault", ["kill", "freeze"])
@pytest.mark.parametrize(
    "key", [LOG, NAMES.lease_reports, SNAPSHOT], ids=["log", "leases", "snapshot"]
)
async def test_no_event_is_lost_with_a_node_and_none_counted_twice(
    traffic: Traffic, redis: ClusterOfRedis, key: str, fault: str
) -> None:
    node = redis.find_owner(key)
    tokens = await traffic.serve(150)
    before = await traffic.track(tokens[:50])
    getattr(node, fault)()
    during = await traffic.track(tokens[50:])
    await traffic.serve(20)
    redis.wait_until_whole(without=node)
    replayed = await traffic.track(tokens)
    assert before + during + replayed == Counter({204: 300})
    await traffic.check()
    if fault == "kill":
        node.start()
    else:
        node.thaw()
    redis.wait_until_whole()
