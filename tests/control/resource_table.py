"""
The resources with their models, tables, forms and pages, for `test_resource_fields`. What lacks a field on purpose is
named here with its reason.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from babel import Locale
from pydantic import BaseModel

from control.dashboard.ads import fields as ad_form
from control.dashboard.campaigns.form_fields import read_form
from control.dashboard.form_body import body_of, readers_of
from control.dashboard.properties import form as property_form
from control.dashboard.slots import form as slot_form
from control.demand.ads import schemas as ads
from control.demand.assets import schemas as assets
from control.demand.campaigns import schemas as campaigns
from control.identity.account_settings.schemas import AccountPatch
from control.identity.accounts import schemas as accounts
from control.inventory.properties import schemas as properties
from control.inventory.slots import schemas as slots
from control.storage.tables.accounts import AccountRow
from control.storage.tables.assets import AssetRow
from control.storage.tables.base import Row
from control.storage.tables.campaigns import AdRow, CampaignRow
from control.storage.tables.properties import PropertyRow, SlotRow

_EN = Locale("en")
_ALL = "shown by the form that changes the object"


@dataclass(frozen=True)
class Form:
    """
    *lacks*: fields of *model* that the form does not have. *adds*: fields of the form that are not of *model*.
    *filled_apart*: inputs that the page fills with the object's values, not the template; ``*``: all.
    """

    model: type[BaseModel]
    templates: tuple[str, ...]
    read: Callable[[dict[str, list[str]]], dict[str, Any]]
    lacks: Mapping[str, str] = field(default_factory=dict)
    adds: frozenset[str] = frozenset()
    filled_apart: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Resource:
    name: str
    create: type[BaseModel]
    patch: type[BaseModel]
    public: type[BaseModel]
    row: type[Row]
    read_only: Mapping[str, str]
    """Fields of the response that no request sets."""
    page: tuple[str, ...]
    """The templates of the object's page."""
    not_on_page: Mapping[str, str]
    listed: type[BaseModel] | None
    list_page: str | None
    not_offered: Mapping[str, str] = field(default_factory=dict)
    """Filters of the list that its page does not have."""
    not_answered: Mapping[str, str] = field(default_factory=dict)
    hidden_columns: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The columns of fields that have another name there."""
    forms: tuple[Form, ...] = ()


_MADE = dict.fromkeys(("id", "created_at", "updated_at"), "set by the service")
_KEPT = {**_MADE, "version": "set by the service", "status": "changed by actions"}
_OWNER = {"account_id": "the caller's own", "environment": "answered as `is_test`"}
_DATED = dict.fromkeys(("created_at", "updated_at"), "the audit log has the dates")
_TARGETED = {"targeting": "the template gets it in plain words"}


def _view(form: dict[str, list[str]]) -> Any:
    return SimpleNamespace(form=form)


RESOURCES = (
    Resource(
        "campaigns",
        campaigns.CampaignCreate,
        campaigns.CampaignPatch,
        campaigns.CampaignPublic,
        CampaignRow,
        _KEPT
        | {
            "delivery_status": "computed",
            "delivery_reason": "computed",
            "spend_cents": "counted",
            "review": "written by reviewers",
            "is_test": "the environment",
        },
        ("campaigns/campaign.html", "campaigns/pieces.html"),
        _TARGETED
        | {
            "delivery_reason": "explained by another template",
            "version": "sent by forms",
            "created_at": "the audit log has the dates",
        },
        campaigns.CampaignList,
        "campaigns/list.html",
        not_offered={"updated_since": "for programs that follow changes; people sort by change"},
        hidden_columns=_OWNER
        | {
            "completed_from": "what a completed campaign becomes when it reopens",
            "name_key": "for lists",
            "only_property_id": "for what keys may see",
        },
        columns={
            "budget": ("budget_total_cents", "budget_daily_cents"),
            "metadata": ("metadata_",),
        },
        forms=tuple(
            Form(
                model,
                ("campaigns/form.html",),
                lambda form: read_form(form, _EN)[0],
                lacks={"frequency_caps": "a list of rows, as `frequency_caps.0.limit`"},
                adds=frozenset({"base"}),
                filled_apart={"*": "`form_fields` makes a form of the campaign"},
            )
            for model in (campaigns.CampaignCreate, campaigns.CampaignPatch)
        ),
    ),
    Resource(
        "ads",
        ads.AdCreate,
        ads.AdPatch,
        ads.AdPublic,
        AdRow,
        _KEPT
        | {
            "advertiser_domain": "taken from `click_url`",
            "review": "written by reviewers",
            "is_test": "the environment",
        },
        ("ads/ad.html", "ads/preview.html"),
        _TARGETED
        | {
            "asset_ids": "the content has what they fill in",
            "advertiser_domain": "the page shows the whole URL; the list shows the domain",
            "slot_ids": "the template gets their names",
            "is_test": "the address has the environment",
            "version": "sent by forms",
        },
        ads.AdList,
        "ads/list.html",
        hidden_columns=_OWNER,
        forms=(
            Form(
                ads.AdCreate,
                ("ads/form.html", "ads/parts.html"),
                lambda form: ad_form.created(form, "banner", _EN),
                lacks=dict.fromkeys(("content", "asset_ids"), "by format, as `content.title`"),
                adds=frozenset({"file"}),
            ),
            Form(
                ads.AdPatch,
                ("ads/form.html", "ads/parts.html"),
                lambda form: ad_form.changed(form, {"format": "banner", "content": {}}, _EN),
                lacks=dict.fromkeys(("content", "asset_ids"), "by format, as `content.title`"),
                adds=frozenset({"campaign_id", "format", "file"}),
                filled_apart={"slot_ids": "the list comes with those that are chosen"},
            ),
        ),
    ),
    Resource(
        "assets",
        assets.AssetCreate,
        assets.AssetPatch,
        assets.AssetPublic,
        AssetRow,
        _MADE
        | {"status": "changed by actions", "is_test": "the environment"}
        | dict.fromkeys(("width", "height", "duration_ms", "media"), "measured")
        | dict.fromkeys(("url", "rejection_reason"), "computed"),
        ("assets/asset.html",),
        {
            "property_id": "pages show the account's and the property's files alike",
            "sha256": "for programs",
            "is_test": "the address has the environment",
            "updated_at": "a file never changes",
        },
        assets.AssetList,
        "assets/list.html",
        hidden_columns=_OWNER
        | dict.fromkeys(("thumbnail", "poster"), "inside the pages that show them")
        | dict.fromkeys(
            (
                "rejection_parts",
                "object_name",
                "renditions_name",
                "upload_name",
                "attempts",
                "claimed_until",
            ),
            "of the service's own",
        ),
    ),
    Resource(
        "properties",
        properties.PropertyCreate,
        properties.PropertyPatch,
        properties.PropertyPublic,
        PropertyRow,
        _KEPT | {"verification": "written by the check", "currency": "the account's"},
        ("properties/property.html", "properties/parts.html"),
        _DATED | {"version": "sent by forms"},
        properties.PropertyList,
        "properties/list.html",
        not_offered={"domain": "a whole host name, for programs; the list shows it"},
        hidden_columns=_OWNER | {"check_due_at": "of the service's own"},
        forms=(
            Form(
                properties.PropertyCreate,
                ("properties/fields.html",),
                lambda form: property_form.created_of(_view(form)),
                lacks=dict.fromkeys(
                    (
                        *("allowed_origins", "excluded_ip_ranges", "consent_policy", "sdk"),
                        *("token_ttl_seconds", "server_rendering", "rate_limits", "payout"),
                        *("blocked_categories", "blocked_ad_ids"),
                    ),
                    _ALL,
                ),
            ),
            Form(
                properties.PropertyPatch,
                ("properties/edit.html",),
                lambda form: property_form.changed_of(_view(form)),
                lacks={"sdk.min": "by library, as `sdk.min.web`"},
            ),
        ),
    ),
    Resource(
        "slots",
        slots.SlotCreate,
        slots.SlotPatch,
        slots.SlotPublic,
        SlotRow,
        _MADE | {"version": "set by the service"},
        ("slots/slot.html",),
        _DATED | {"property_id": "the address has it"},
        slots.SlotList,
        None,
        not_offered={
            "q": "the page of their property offers it",
            "property_id": "slots are listed on the page of their property",
            "status": "all are listed there",
            "key": "all are listed there",
        },
        hidden_columns=_OWNER,
        forms=(
            Form(
                slots.SlotCreate,
                ("slots/form.html",),
                lambda form: slot_form.created_of(_view(form), "the id"),
                lacks={"property_id": "the address has it"},
            ),
            Form(
                slots.SlotPatch,
                ("slots/form.html",),
                lambda form: slot_form.changed_of(_view(form)),
                lacks={"status": "the slot's page has a button for it"},
                adds=frozenset({"key"}),
            ),
        ),
    ),
    Resource(
        "accounts",
        accounts.AccountCreate,
        AccountPatch,
        accounts.AccountPublic,
        AccountRow,
        _MADE
        | {"version": "set by the service", "stopped": "changed by actions"}
        | dict.fromkeys(("state", "state_reason", "billing_mode"), "set by billing and operators")
        | {"address_verified": "by the mail's link"},
        ("account/account.html",),
        {
            "state_reason": "people of a suspended account see another page",
            "address_verified": "a banner of all pages has it",
            "updated_at": "the audit log has the dates",
        },
        None,
        None,
        not_answered=dict.fromkeys(
            ("owner_name", "email", "password", "language"), "of the owner, not of the account"
        ),
        hidden_columns=dict.fromkeys(
            AccountRow.model_fields.keys() - accounts.AccountPublic.model_fields.keys(),
            "of billing and operators",
        ),
        forms=(
            Form(
                AccountPatch,
                ("account/account.html",),
                lambda form: body_of(form, readers_of(AccountPatch, {})),
                adds=frozenset({"password", "close_password"}),
            ),
        ),
    ),
)
