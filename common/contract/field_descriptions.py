"""
Descriptions of fields and parameters by name, for those without a description of their own. A field with a meaning of
its own is described in its model.
"""

from typing import Any

PARAMETERS: dict[str, str] = {
    "limit": "How many a page holds at most.",
    "cursor": "`next_cursor` of the page before.",
    "environment": "`live` or `test`. A key brings its own.",
    "property_id": "Only of this property.",
    "campaign_id": "Only of this campaign.",
    "status": "Only those in this state.",
    "kind": "Only those of this kind.",
    "external_ref": "Only the one with this reference of yours.",
    "format": "Only those of this format.",
    "objective": "Only those with this objective.",
    "object_id": "Only what was done to this object.",
    "valid": "Only those that passed the invalid-traffic filter, or that did not.",
    "is_test": "Only of the test environment, or only of live.",
}

FIELDS: dict[str, str] = {
    "access_token": "Send it as `Authorization: Bearer`.",
    "action": "What was done.",
    "allowed_origins": (
        "Origins, beside the domain and what is below it, whose pages' events count; others' are stored as invalid "
        "(`origin_mismatch`) and not billed. No page is kept from asking for ads. Empty: only the domain's own."
    ),
    "alt": "What the image shows, for those who do not see it.",
    "amount_cents": "How much.",
    "any": "One of these is enough.",
    "asset_ids": "Role to the id of the asset that plays it.",
    "at": "When.",
    "audio_codec": "Of the sound.",
    "base_ms": "Pause before the first retry; it doubles.",
    "bid_cents": "What is paid for a thousand impressions, a click, a conversion or the flight, by `pricing_model`.",
    "bill_in_session": "Whether conversions that a page itself reports are billed.",
    "bitrate_kbps": "Bits of a second, in thousands.",
    "blocked_ad_ids": "Ads that never serve here.",
    "blocked_advertiser_domains": (
        "Hosts whose ads never serve here, nor those that lead to a host below. A registrable domain blocks all of "
        "an advertiser; of a URL the host is kept."
    ),
    "blocked_categories": "Categories of the IAB content taxonomy that never serve here.",
    "body": "The text.",
    "categories": "What the ad is about, in codes of the IAB content taxonomy.",
    "channels": "Of the sound: 1 is mono, 2 stereo.",
    "click_url": "The destination; `{click_id}`, `{campaign_id}` and their like are filled in.",
    "click_urls": "Told of each click, by the client libraries.",
    "click_window_hours": "How long after a click a conversion counts for it.",
    "clicks": "Valid clicks.",
    "consent_policy": "What holds where a call carries no consent signal.",
    "container": "What holds picture and sound.",
    "conversion_events": "Names of the conversions that count; empty: all.",
    "conversions": "Valid conversions.",
    "country": "ISO 3166-1, two letters in either case; answered in capitals.",
    "credit_limit_cents": "How much may be owed; null: no limit.",
    "cta": "The words on the button.",
    "current_password": "The one that holds now.",
    "daily_cents": "Most that is spent on a day of the campaign's time zone.",
    "dayparts": "Hours of the week, in the campaign's time zone.",
    "delivery_reason": "Why it delivers, or does not.",
    "description": "What it is for.",
    "details": "Every fault of every field, where fields are wrong.",
    "domain": "The registered site.",
    "duration_ms": "How long it plays.",
    "end": "`HH:MM`, up to `24:00`.",
    "erased": "How many were erased.",
    "event": "What is counted.",
    "exclude": "None of these.",
    "excluded_ip_ranges": "CIDR ranges whose traffic is your own and is never billed.",
    "external_ref": "Yours; unique in the account and environment.",
    "failure_reason": "Why it failed; null where it did not.",
    "filename": "As it was uploaded.",
    "flags": "Switches of the client libraries, true, false or a text.",
    "floor_cents": "Least that a thousand impressions must bring.",
    "fps": "Pictures a second.",
    "grant_type": "How the token is asked for.",
    "html": "Markup, shown inside a sandboxed frame.",
    "icon": "URL of a small square image.",
    "ids": "The objects it is done to.",
    "image": "URL of the image.",
    "image_url": "URL of the image.",
    "impression_urls": "Told of each impression, by the client libraries.",
    "impressions": "Valid impressions.",
    "include": "One of these is enough.",
    "interval": "How many units the window lasts.",
    "invalid": "Events that the invalid-traffic filter refused.",
    "is_operator": "Whether the account runs this service.",
    "is_test": "Whether it belongs to the test environment.",
    "issued_after": "From when on it is issued.",
    "key": "Its key.",
    "key_values": "Pairs that the page sends as `kv.NAME=VALUE`.",
    "kind": "Its kind.",
    "languages": "BCP 47 tags, in either case: `pt` takes `pt-BR` too. Extensions (`-u-…`) are not compared.",
    "last4": "The last four characters of its text.",
    "last_error": "What the last check saw instead.",
    "limit": "How many are allowed in the window.",
    "max": "The most.",
    "max_ads": "Most ads in one break.",
    "max_duration_ms": "Longest that all ads of a break may take together.",
    "memo": "What it was for, in words.",
    "metadata": "Yours: names and values that we only keep.",
    "method": "How it is checked.",
    "mime": "Its media type.",
    "none": "Not one of these.",
    "object_type": "What kind of object it was done to.",
    "objective": "What the campaign is for; it sets the event that is optimised.",
    "ok": "Whether it was done to this one.",
    "op": "`in`: one of the values; `not_in`: none of them.",
    "pacing": "How spending follows the flight.",
    "param": "The field that is wrong, dotted, where it is one.",
    "password": "Of the account's user.",
    "past_due_cents": "What should have been paid by now.",
    "payee": "Who is paid.",
    "period_end": "The end of what is paid for.",
    "pixel_conversions_per_click": "How many conversions of one click and event name count by pixel.",
    "place": "Where it was looked for.",
    "plan": "What is subscribed to.",
    "pricing_model": "What is paid for.",
    "priority": "Which campaigns go first.",
    "property_ids": "The properties it may serve on.",
    "provider": "Who moved the money.",
    "reason": "Why.",
    "refresh_seconds": "After how long in view client libraries ask again; null: never.",
    "refresh_token": "For one renewal; a second use ends its family.",
    "requested_by": "Who asked for it.",
    "require_second_factor": "Whether owners, admins and finance need a second factor.",
    "review_required": "Whether live campaigns and ads are approved before they run.",
    "sample_rate_hz": "Of the sound.",
    "scope": "What is counted together.",
    "serve_per_ip_s": "Serve calls a second of one address.",
    "serve_per_key_s": "Serve calls a second of one key.",
    "share_of_voice_percent": "Of a sponsorship: its part of all decisions.",
    "share_percent": "The publisher's part of the spend.",
    "slot_ids": "Slots it may serve in; empty: every slot of the campaign's properties.",
    "spend_cents": "What was spent.",
    "sponsored_by": "Who pays, as readers see it.",
    "start": "`HH:MM`.",
    "timeout_ms": "After how long a client library gives up.",
    "timezone": "A name of the IANA database.",
    "title": "The headline.",
    "token": "What is published so that we find it.",
    "token_ttl_seconds": "How long a tracking token counts; in mails 30 days at least, in audio a day.",
    "token_type": "Always `Bearer`.",
    "total": "How many are wanted in the whole flight.",
    "total_cents": "Most that is spent in the whole flight.",
    "track_per_ip_s": "Track calls a second of one address.",
    "track_per_key_s": "Track calls a second of one key.",
    "ts": "When it happened, UTC.",
    "ttl_seconds": "How long it may be used.",
    "type": "Its type.",
    "unit": "Of the interval.",
    "url": "Where it is.",
    "value": "Its value.",
    "values": "In lower case.",
    "verified": "Whether the property is.",
    "video_codec": "Of the picture.",
    "view_window_hours": "How long after an impression a conversion counts for it.",
    "weight": "Its share among the campaign's ads.",
}


def describe_fields(schemas: dict[str, Any]) -> dict[str, Any]:
    """Returns *schemas* by name, with a description for each field that has none and whose name is listed here."""
    return {name: _described(schema) for name, schema in schemas.items()}


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    if "properties" not in schema:
        return schema
    fields = {
        name: field
        if "description" in field or name not in FIELDS or _is_reference(field)
        else field | {"description": FIELDS[name]}
        for name, field in schema["properties"].items()
    }
    return schema | {"properties": fields}


def _is_reference(field: dict[str, Any]) -> bool:
    """A reference is described by its model or enumeration."""
    return any("$ref" in option for option in (field, *field.get("anyOf", ())))
