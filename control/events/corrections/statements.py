"""The SQL of retractions. A correction's row is made from its original, so that new columns are copied too."""

from sqlalchemy import text

from common.values.enums import Attribution, Reason, Source
from control.events.ingest.report_queue import (
    ADD_HOURS,
    HOUR_COLUMNS,
    HOUR_KEY,
    IS_OPEN,
    to_store,
)

_SAME = "e.stored_day = n.day and e.id = n.id"
_CHOSEN = "unnest(cast(:days as date[]), cast(:ids as uuid[]))"
_HOUR_GROUP = HOUR_KEY.replace("reason", f"'{Reason.RETRACTED}' as reason").replace(
    "country, device, attribution",
    "coalesce(country, '') as country, coalesce(device, '') as device, coalesce(attribution, '') as attribution",
)
_OF_GROUP = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
_QUEUED, _COARSE = to_store("full_hours")
_COUNTED = ", ".join(
    f"count(*) filter (where kind = '{kind}')" for kind in ("impression", "click", "conversion")
)
_LESS = (
    "impressions = c.impressions - n.i, clicks = c.clicks - n.k, conversions = c.conversions - n.v"
)

ORIGINALS = text(
    "select stored_day, id, account_id, kind, token_id, issued_at, property_id, campaign_id, is_test, source, "
    "charged_micros "
    "from events where stored_day = any(:days) and id = any(:ids) and valid and corrects is null"
)
CLAIM = text(
    "insert into retractions (event_id, correction_id, account_id, made_at, cause) "
    "select event_id, correction_id, account_id, :now, cause from unnest(cast(:ids as uuid[]), "
    "cast(:corrections as uuid[]), cast(:accounts as varchar[]), cast(:causes as varchar[])) "
    "as n(event_id, correction_id, account_id, cause) order by event_id "
    "on conflict do nothing returning event_id, correction_id"
)
LOCK = text(
    "select s.campaign_id, s.account_id, c.timezone from campaign_spend s "
    "join campaigns c on c.id = s.campaign_id "
    "where s.campaign_id = any(:ids) order by s.campaign_id for update of s"
)
CORRECT = text(f"""
insert into events select (jsonb_populate_record(e, jsonb_build_object(
    'stored_day', cast(:today as date), 'id', n.correction, 'xid', cast(pg_current_xact_id() as text),
    'at', cast(:now as timestamptz), 'valid', false, 'reason', '{Reason.RETRACTED}',
    'charged_micros', -e.charged_micros, 'corrects', e.id
))).*
from unnest(cast(:days as date[]), cast(:ids as uuid[]), cast(:corrections as uuid[])) as n(day, id, correction)
join events e on {_SAME}
""")  # noqa: S608 - constants only
COUNT_BACK = text(f"""
with chosen as materialized (
    select e.* from {_CHOSEN} as n(day, id) join events e on {_SAME} where e.source <> '{Source.PREVIEW}'
), full_hours as materialized (
    select date_trunc('hour', cast(:now as timestamptz), 'UTC') as {_HOUR_GROUP}, account_id, -count(*) as count,
        cast(-sum(charged_micros) as bigint) as charged_micros,
        cast(-coalesce(sum(value_cents), 0) as bigint) as value_cents, cast(:now as timestamptz) as last_at
    from chosen group by {_OF_GROUP}
), hours as (
    insert into event_hourly ({HOUR_COLUMNS}) select {HOUR_COLUMNS} from full_hours
    where not {IS_OPEN} order by {HOUR_KEY} {ADD_HOURS}
), queued as ({_QUEUED}), coarse as ({_COARSE}
), of_ads as (
    update ad_counts c set {_LESS} from (
        select ad_id, {_COUNTED} from chosen group by ad_id order by ad_id
    ) as n(ad_id, i, k, v) where c.ad_id = n.ad_id
)
update ad_slot_counts c set {_LESS} from (
    select ad_id, slot_id, {_COUNTED} from chosen
    where attribution is distinct from '{Attribution.VIEW_THROUGH}'
    group by ad_id, slot_id order by ad_id, slot_id
) as n(ad_id, slot_id, i, k, v) where c.ad_id = n.ad_id and c.slot_id = n.slot_id
""")  # noqa: S608 - constants only
FORGET_TOUCHES = text(
    "with clicks as (delete from click_touches where token_id = any(:clicked)) "
    "delete from view_touches where token_id = any(:shown)"
)
"""No later conversion is attributed to a retracted event."""
REOPEN = text("""
update campaigns c set status = coalesce(completed_from, 'active'), version = version + 1, updated_at = :now
from campaign_spend s
where s.campaign_id = c.id and c.id = any(:ids) and c.status = 'completed'
    and (c.end_at is null or c.end_at > :now)
    and (c.budget_total_cents is null or c.budget_total_cents * cast(10000 as bigint) - s.spent_micros >=
        case c.pricing_model when 'cpm' then greatest(1, c.bid_cents * cast(10 as bigint)) else 1 end)
    and (c.goal is null or cast(c.goal ->> 'total' as bigint) > case c.goal ->> 'kind'
        when 'impressions' then s.impressions when 'clicks' then s.clicks else s.conversions end)
returning c.id
""")
"""A budget has room again by the rule of `common.budget.remaining.is_used_up`."""
BY_IDS = text(
    "select stored_day, id from events where stored_day = any(:days) and id = any(:ids) and valid"
)
OF_CAMPAIGN = text(
    "select e.stored_day, e.id from events e where e.campaign_id = :campaign and e.valid and e.corrects is null "
    "and e.stored_day >= :first and (cast(:since as timestamptz) is null or e.at >= :since) "
    "and (cast(:until as timestamptz) is null or e.at < :until) "
    "and not exists (select from retractions r where r.event_id = e.id) order by e.stored_day, e.id limit :most"
)
JUDGED = text(
    "select e.stored_day, e.id, e.kind, e.surface, e.is_test, e.source, e.reason, e.slot_id, e.ad_id, e.issued_at, "
    "e.at, e.signs, e.network, e.client, e.property_id, e.format, e.agent_family, e.agent_pattern from events e "
    "where e.at >= :since and e.at < :until and e.stored_day >= :first and e.corrects is null "
    "and (e.signs is not null or e.client is not null) "
    "and not exists (select from retractions r where r.event_id = e.id) order by e.at, e.id"
)
"""Events of all accounts in the given period, in order of time."""
ROBOTS = text(
    "select e.kind, e.surface, e.is_test, e.reason, e.issued_at, e.at, e.signs, e.network, e.agent_family, "
    "e.agent_pattern from events e where e.at >= :since and e.at < :until and e.stored_day >= :first "
    "and e.reason = :reason and e.signs is not null and e.agent_pattern <> all(:in_use)"
)
"""Events that a rule no longer in use classified as a robot's."""
