"""
Descriptions of fields and parameters by name, for those without a description of their own. A field with a meaning of
its own is described in its model.
"""

from typing import Any

PARAMETERS: dict[str, str] = {
    "limit": "Maximum number of items on the page.",
    "q": "Part of the name, case-insensitive.",
    "cursor": "`next_cursor` of the previous page.",
    "environment": "`live` or `test`. A key always uses its own environment.",
    "property_id": "Only items of this property.",
    "campaign_id": "Only items of this campaign.",
    "status": "Only items with this status.",
    "kind": "Only items of this kind.",
    "external_ref": "Only the campaign with your own reference.",
    "format": "Only items of this format.",
    "objective": "Only campaigns with this objective.",
    "object_id": "Only entries about this object.",
    "valid": "`true`: only events that passed the invalid-traffic filter. `false`: only events that did not.",
    "is_test": "`true`: only the test environment. `false`: only live.",
}

FIELDS: dict[str, str] = {
    "access_token": "Access token, to send as `Authorization: Bearer`.",
    "action": "The action.",
    "allowed_origins": (
        "Additional origins whose events count, besides the domain and its subdomains. Events from other origins are "
        "stored as invalid (`origin_mismatch`) and not billed; their requests for ads are still answered. Empty: only "
        "the domain and its subdomains."
    ),
    "alt": "Text alternative of the image, for people who cannot see it.",
    "amount_cents": "Amount in cents.",
    "any": "At least one of these must match.",
    "asset_ids": "Asset ids by the role that they fill.",
    "at": "When it happened.",
    "audio_codec": "Audio codec.",
    "base_ms": "Pause before the first retry in milliseconds; it doubles each time.",
    "bid_cents": (
        "Price in cents for a thousand impressions, a click, a conversion or the whole flight, by `pricing_model`."
    ),
    "bill_in_session": "Whether conversions reported by the page itself are billed.",
    "bitrate_kbps": "Bitrate in kilobits per second.",
    "blocked_ad_ids": "Ids of ads that never serve here.",
    "blocked_advertiser_domains": (
        "Hosts whose ads never serve here, subdomains included. A registrable domain blocks the whole advertiser. If "
        "you send a URL, its host is stored."
    ),
    "blocked_categories": "IAB content taxonomy categories that never serve here.",
    "body": "Body text.",
    "categories": "Categories of the ad, as codes of the IAB content taxonomy.",
    "channels": "Number of audio channels: 1 is mono, 2 stereo.",
    "click_url": "Destination URL; `{click_id}`, `{campaign_id}` and other macros are replaced.",
    "click_urls": "Loaded by the client libraries for each click.",
    "click_window_hours": "Hours after a click in which a conversion counts for it.",
    "clicks": "Valid clicks.",
    "consent_policy": "What applies to requests without a consent signal.",
    "container": "Container format.",
    "conversion_events": "Names of the conversions that count. Empty: all.",
    "conversions": "Valid conversions.",
    "country": "ISO 3166-1 code of two letters, in either case; returned in upper case.",
    "credit_limit_cents": "Credit limit in cents; null: no limit.",
    "cta": "Call to action: the label of the button.",
    "current_password": "The current password.",
    "daily_cents": "Maximum spend per day, in the campaign's time zone.",
    "dayparts": "Hours of the week, in the campaign's time zone.",
    "delivery_reason": "Why the campaign delivers, or does not.",
    "description": "Description.",
    "details": "Every error of every invalid field.",
    "domain": "Registered domain.",
    "duration_ms": "Duration in milliseconds.",
    "end": "End of the window, `HH:MM`, up to `24:00`.",
    "erased": "Number of records erased.",
    "event": "Kind of event that is counted.",
    "exclude": "None of these may match.",
    "excluded_ip_ranges": "CIDR ranges of your own traffic, which is never billed.",
    "external_ref": "Your own reference, unique in the account and environment.",
    "failure_reason": "Why it failed; null if it did not.",
    "filename": "Original name of the file.",
    "flags": "Feature flags for client libraries: true, false or a text.",
    "floor_cents": "Minimum eCPM in cents.",
    "fps": "Frames per second.",
    "grant_type": "The OAuth 2.0 grant type.",
    "html": "HTML markup, shown in a sandboxed iframe.",
    "icon": "URL of a small square image.",
    "ids": "Ids of the campaigns.",
    "image": "URL of the image.",
    "image_url": "URL of the image.",
    "impression_urls": "Loaded by the client libraries for each impression.",
    "impressions": "Valid impressions.",
    "include": "At least one of these must match.",
    "interval": "Length of the window, in `unit`s.",
    "invalid": "Events rejected by the invalid-traffic filter.",
    "is_operator": "Whether the account operates this service.",
    "is_test": "Whether the object belongs to the test environment.",
    "issued_after": "Earliest time of issue.",
    "key": "The key.",
    "key_values": "Key-value pairs that the page sends as `kv.NAME=VALUE`.",
    "kind": "Kind of event.",
    "languages": "BCP 47 tags, case-insensitive: `pt` also matches `pt-BR`. Extensions (`-u-…`) are ignored.",
    "last4": "Last four characters of the key's text.",
    "last_error": "What the last check found instead.",
    "limit": "Maximum number of events in the window.",
    "max": "Maximum number of retries.",
    "max_ads": "Maximum number of ads in one break.",
    "max_duration_ms": "Maximum total duration of the ads in one break, in milliseconds.",
    "memo": "Description.",
    "metadata": "Your own names and values; stored and returned unchanged.",
    "method": "Verification method: `dns` or `html_tag`.",
    "mime": "Media type.",
    "none": "None of these may match.",
    "object_type": "Type of the object.",
    "objective": "The campaign's objective; determines which event is optimised.",
    "ok": "Whether the action succeeded for this campaign.",
    "op": "`in`: any of the values. `not_in`: none of them.",
    "pacing": "How spend is spread over the flight.",
    "param": "The invalid field, dotted, if the error is about a field.",
    "password": "Password of the user.",
    "past_due_cents": "Total of the invoices that are past due.",
    "payee": "Recipient of the payout.",
    "period_end": "End of the paid period.",
    "pixel_conversions_per_click": "Maximum number of pixel conversions per click and event name.",
    "place": "The place searched.",
    "plan": "The subscribed plan.",
    "pricing_model": "The event or period that is paid for.",
    "priority": "Priority over other campaigns.",
    "property_ids": "Properties that the campaign may serve on.",
    "provider": "Payment provider.",
    "reason": "The reason.",
    "refresh_seconds": "Seconds in view after which client libraries request another ad; null: never.",
    "refresh_token": "Works for one renewal; a second use ends the session.",
    "requested_by": "Id of the user who requested it.",
    "require_second_factor": "Whether owners, admins and finance members need a second factor.",
    "review_required": "Whether live campaigns and ads need approval before they run.",
    "sample_rate_hz": "Sample rate of the audio in hertz.",
    "scope": "Level at which events are counted together.",
    "serve_per_ip_s": "Serve requests per second and IP address.",
    "serve_per_key_s": "Serve requests per second and key.",
    "share_of_voice_percent": "Share of all decisions in percent; sponsorships only.",
    "share_percent": "Publisher's share of spend, in percent.",
    "slot_ids": "Slots that the ad may serve in. Empty: every slot of the campaign's properties.",
    "spend_cents": "Spend in cents.",
    "sponsored_by": "Sponsor's name, as shown to visitors.",
    "start": "Start of the window, `HH:MM`.",
    "timeout_ms": "Timeout of client libraries in milliseconds.",
    "timezone": "IANA time zone name.",
    "title": "Headline.",
    "token": "Token to publish.",
    "token_ttl_seconds": "Seconds during which a track token counts; at least 30 days in mails, and a day for audio.",
    "token_type": "Always `Bearer`.",
    "total": "Target number for the whole flight.",
    "total_cents": "Maximum spend over the whole flight.",
    "track_per_ip_s": "Track requests per second and IP address.",
    "track_per_key_s": "Track requests per second and key.",
    "ts": "Time of the event, UTC.",
    "ttl_seconds": "Seconds for which the response may be cached.",
    "type": "Type of the record.",
    "unit": "Unit of `interval`.",
    "url": "URL of the media file.",
    "value": "Value of the record.",
    "values": "Values, in lower case.",
    "verified": "Whether the property is verified.",
    "video_codec": "Video codec.",
    "view_window_hours": "Hours after an impression in which a conversion counts for it.",
    "weight": "Relative weight among the campaign's ads.",
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
