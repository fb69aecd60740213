"""Names in Redis: those on a server never change, because two releases share it; on a cluster some share a node."""

from redis.crc import key_slot

from common.service.channels import LOG_PARTITIONS, Channels
from common.values.environment import Environment

LIVE = Environment.LIVE
SERVER = Channels("p").on("redis://host")
CLUSTER = Channels("p").on("redis+cluster://host")


def test_the_names_on_a_server_are_those_of_all_releases() -> None:
    assert [
        SERVER.snapshot_changes(LIVE),
        SERVER.snapshot_head(LIVE),
        SERVER.snapshot_delta(LIVE, 7),
        SERVER.snapshot_full(LIVE),
        SERVER.snapshot_chunk(LIVE, 7, 2),
        SERVER.edge_workers(LIVE),
        SERVER.token_claim(LIVE, "t:click"),
        SERVER.person_counts(LIVE, "ab"),
        SERVER.counted_by(LIVE, "w"),
        SERVER.mail(LIVE, "item:k"),
        SERVER.log_stream(3),
        SERVER.log_lease(3),
        SERVER.log_generation,
        SERVER.log_settled,
        SERVER.decisions.log_stream(3),
        SERVER.lease_reports,
        SERVER.lease_grants,
    ] == [
        "p:snap:live:bell",
        "p:snap:live:head",
        "p:snap:live:delta:7",
        "p:snap:live:full",
        "p:snap:live:full:7:2",
        "p:edges:live",
        "p:tok:live:t:click",
        "p:caps:live:ab",
        "p:caps:live:by:w",
        "p:mail:live:item:k",
        "p:log:3",
        "p:log:lease:3",
        "p:log:generation",
        "p:log:settled",
        "p:decisions:3",
        "p:leases:reports",
        "p:leases:grants",
    ]


def test_names_of_one_operation_share_a_slot_of_a_cluster() -> None:
    partitions = range(LOG_PARTITIONS)
    together = [
        [
            CLUSTER.snapshot_head(LIVE),
            CLUSTER.snapshot_full(LIVE),
            *(CLUSTER.snapshot_delta(LIVE, one) for one in range(9)),
            *(CLUSTER.snapshot_chunk(LIVE, 7, one) for one in range(9)),
        ],
        [CLUSTER.mail(LIVE, name) for name in ("history", "item:a", "item:b", "template:c")],
        [CLUSTER.lease_reports, CLUSTER.lease_grants],
        *(
            [
                names.log_generation,
                names.log_settled,
                *map(names.log_stream, partitions),
                *map(names.log_lease, partitions),
            ]
            for names in (CLUSTER, CLUSTER.decisions)
        ),
    ]
    slots = [{key_slot(name.encode()) for name in names} for names in together]
    assert [len(one) for one in slots] == [1] * len(together)
    assert len(set.union(*slots)) == len(together)


def test_people_and_tokens_are_spread_over_a_cluster() -> None:
    people = {key_slot(CLUSTER.person_counts(LIVE, f"{one:04x}").encode()) for one in range(500)}
    tokens = {key_slot(CLUSTER.token_claim(LIVE, f"{one:04x}").encode()) for one in range(500)}
    assert min(len(people), len(tokens)) > 400
