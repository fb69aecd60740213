"""
A field of a resource is known wherever it must be: in the create and patch models, the response, the table, the forms
and the list's filters. What is left out on purpose is named here with its reason.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from babel import Locale
from pydantic import BaseModel

import control.dashboard
from control.dashboard.ads import fields as ad_form
from control.dashboard.campaigns.form_fields import read_form
from control.dashboard.form_body import body_of, readers_of
from control.dashboard.properties import form as property_form
from control.dashboard.rendering import templates_of
from control.dashboard.slots import form as slot_form
from control.demand.ads import schemas as ads
from control.demand.assets import schemas as assets
from control.demand.campaigns import schemas as campaigns
from control.demand.campaigns.clone import NOT_CLONED, copy_of
from control.foundation.resource_models import field_schemas
from control.identity.account_settings.schemas import AccountPatch
from control.identity.accounts import schemas as accounts
from control.inventory.properties import schemas as properties
from control.inventory.slots import schemas as slots
from control.storage.tables.accounts import AccountRow
from control.storage.tables.assets import AssetRow
from control.storage.tables.base import Row
from control.storage.tables.campaigns import AdRow, CampaignRow
from control.storage.tables.properties import PropertyRow, SlotRow

_TEMPLATES = Path(control.dashboard.__file__).parent / "templates"
_EN = Locale("en")
_ALL = "shown by the form that changes the object"


@dataclass(frozen=True)
class _Form:
    """*lacks*: fields of *model* that the form does not have. *adds*: fields of the form that are not of *model*."""

    model: type[BaseModel]
    templates: tuple[str, ...]
    read: Callable[[dict[str, list[str]]], dict[str, Any]]
    lacks: Mapping[str, str] = field(default_factory=dict)
    adds: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Resource:
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
    forms: tuple[_Form, ...] = ()


_MADE = dict.fromkeys(("id", "created_at", "updated_at"), "set by the service")
_KEPT = {**_MADE, "version": "set by the service", "status": "changed by actions"}
_OWNER = {"account_id": "the caller's own", "environment": "answered as `is_test`"}
_DATED = dict.fromkeys(("created_at", "updated_at"), "the audit log has the dates")
_TARGETED = {"targeting": "the template gets it in plain words"}


def _view(form: dict[str, list[str]]) -> Any:
    return SimpleNamespace(form=form)


RESOURCES = (
    _Resource(
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
        ("campaigns/campaign.html", "campaigns/pieces.html", "campaigns/list.html"),
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
        | {"name_key": "for lists", "only_property_id": "for what keys may see"},
        columns={
            "budget": ("budget_total_cents", "budget_daily_cents"),
            "metadata": ("metadata_",),
        },
        forms=tuple(
            _Form(
                model,
                ("campaigns/form.html",),
                lambda form: read_form(form, _EN)[0],
                lacks={"frequency_caps": "a list of rows, as `frequency_caps.0.limit`"},
                adds=frozenset({"base"}),
            )
            for model in (campaigns.CampaignCreate, campaigns.CampaignPatch)
        ),
    ),
    _Resource(
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
            _Form(
                ads.AdCreate,
                ("ads/form.html", "ads/parts.html"),
                lambda form: ad_form.created(form, "banner", _EN),
                lacks=dict.fromkeys(("content", "asset_ids"), "by format, as `content.title`"),
                adds=frozenset({"file"}),
            ),
            _Form(
                ads.AdPatch,
                ("ads/form.html", "ads/parts.html"),
                lambda form: ad_form.changed(form, "banner", _EN),
                lacks=dict.fromkeys(("content", "asset_ids"), "by format, as `content.title`"),
                adds=frozenset({"campaign_id", "format", "file"}),
            ),
        ),
    ),
    _Resource(
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
        | dict.fromkeys(
            ("rejection_parts", "object_name", "upload_name", "attempts", "claimed_until"),
            "of the service's own",
        ),
    ),
    _Resource(
        "properties",
        properties.PropertyCreate,
        properties.PropertyPatch,
        properties.PropertyPublic,
        PropertyRow,
        _KEPT | {"verification": "written by the check", "currency": "the account's"},
        ("properties/property.html", "properties/parts.html", "properties/edit.html"),
        _DATED,
        properties.PropertyList,
        "properties/list.html",
        hidden_columns=_OWNER | {"check_due_at": "of the service's own"},
        forms=(
            _Form(
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
            _Form(
                properties.PropertyPatch,
                ("properties/edit.html",),
                lambda form: property_form.changed_of(_view(form)),
                lacks={"sdk.min": "by library, as `sdk.min.web`"},
            ),
        ),
    ),
    _Resource(
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
            "property_id": "slots are listed on the page of their property",
            "status": "all are listed there",
            "key": "all are listed there",
        },
        hidden_columns=_OWNER,
        forms=(
            _Form(
                slots.SlotCreate,
                ("slots/form.html",),
                lambda form: slot_form.created_of(_view(form), "the id"),
                lacks={"property_id": "the address has it"},
            ),
            _Form(
                slots.SlotPatch,
                ("slots/form.html",),
                lambda form: slot_form.changed_of(_view(form)),
                lacks={"status": "the slot's page has a button for it"},
                adds=frozenset({"key"}),
            ),
        ),
    ),
    _Resource(
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
        not_answered=dict.fromkeys(("email", "password"), "of the owner, not of the account"),
        hidden_columns=dict.fromkeys(
            AccountRow.model_fields.keys() - accounts.AccountPublic.model_fields.keys(),
            "of billing and operators",
        ),
        forms=(
            _Form(
                AccountPatch,
                ("account/account.html",),
                lambda form: body_of(form, readers_of(AccountPatch, {})),
                adds=frozenset({"password"}),
            ),
        ),
    ),
)
_EVERY = pytest.mark.parametrize("one", RESOURCES, ids=lambda one: one.name)
_FORMS = pytest.mark.parametrize(
    "form",
    [form for one in RESOURCES for form in one.forms],
    ids=lambda form: form.model.__name__,
)
_OF_ALL_FORMS = frozenset({"version", "once", "act"})
_PAGING = frozenset({"environment", "limit", "cursor"})
_MACRO = r'(?:field|area|choice|check|boxes|pick|pick_many)\(view, "([a-z_.0-9]+)"'
_INPUT = re.compile(rf'{_MACRO}|<(?:input|select|textarea)[^>]*? name="([a-z_.0-9]+)"')


def _writable(one: _Resource) -> set[str]:
    return {*one.create.model_fields, *one.patch.model_fields}


def _inputs(*templates: str) -> set[str]:
    """The names of inputs in the templates; of those made of parts, none."""
    text = "".join((_TEMPLATES / name).read_text() for name in templates)
    return {macro or plain for macro, plain in _INPUT.findall(text)}


def _leaves(form: _Form) -> Iterator[str]:
    """The fields of its model that the form should have, except those of targeting."""
    for name in field_schemas(form.model):
        starts = (name, name.partition(".")[0])
        if not (form.lacks.keys() & set(starts)) and starts[1] != "targeting":
            yield name


@_EVERY
def test_what_a_request_sets_is_answered(one: _Resource) -> None:
    assert _writable(one) - one.public.model_fields.keys() == set(one.not_answered)


@_EVERY
def test_what_is_answered_is_set_by_a_request_or_read_only(one: _Resource) -> None:
    not_set = one.public.model_fields.keys() - _writable(one)
    assert not_set == set(one.read_only)


@_EVERY
def test_what_a_request_sets_has_a_column(one: _Resource) -> None:
    columns = {
        column
        for name in _writable(one) - one.not_answered.keys()
        for column in one.columns.get(name, (name,))
    }
    assert columns - one.row.model_fields.keys() == set()


@_EVERY
def test_a_column_is_answered_or_named(one: _Resource) -> None:
    answered = {
        column for name in one.public.model_fields for column in one.columns.get(name, (name,))
    }
    assert one.row.model_fields.keys() - answered == set(one.hidden_columns) & set(
        one.row.model_fields
    )


@_EVERY
def test_the_page_shows_each_field(one: _Resource) -> None:
    text = "".join((_TEMPLATES / name).read_text() for name in one.page)
    hidden = {name for name in one.public.model_fields if not re.search(rf"\.{name}\b", text)}
    assert hidden == set(one.not_on_page)


@_EVERY
def test_the_page_of_the_list_offers_each_filter(one: _Resource) -> None:
    filters = set(one.listed.model_fields) - _PAGING if one.listed else set()
    offered = _inputs(one.list_page) if one.list_page else set()
    assert filters - offered == set(one.not_offered)


@_EVERY
def test_each_filter_of_a_list_is_a_column_or_has_a_condition(one: _Resource) -> None:
    apart = {"q", "updated_since", "property_id", "sort"} if one.name == "campaigns" else set()
    filters = set(one.listed.model_fields) - _PAGING if one.listed else set()
    assert filters - one.row.model_fields.keys() == apart


@_FORMS
def test_a_form_has_each_field_that_it_may_set(form: _Form) -> None:
    assert set(_leaves(form)) - _inputs(*form.templates) == set()


@_FORMS
def test_each_field_of_a_form_is_of_the_api(form: _Form) -> None:
    known = {*field_schemas(form.model), *form.adds, *_OF_ALL_FORMS}
    starts = tuple(f"{name}." for name in (*form.lacks, "content"))
    unknown = {name for name in _inputs(*form.templates) - known if not name.startswith(starts)}
    assert {name for name in unknown if name.partition(".")[0] != "targeting"} == set()


@_FORMS
def test_each_field_of_a_form_is_read(form: _Form) -> None:
    for name in _leaves(form):
        body: Any = form.read({name: ["1"]})
        for step in name.split("."):
            assert step in body, name
            body = body[step]


@_FORMS
def test_forms_state_no_bounds_of_the_api_again(form: _Form) -> None:
    text = "".join((_TEMPLATES / name).read_text() for name in form.templates)
    stated = re.findall(r'\(view, "([a-z_.]+)"[^}]*?(?:maxlength|min|max)=', text)
    assert {name for name in stated if not name.startswith("content.")} <= {"audio.max_duration_ms"}


@pytest.mark.parametrize(
    ("name", "kind", "attributes"),
    [
        ("refresh_seconds", "number", 'min="30" max="3600"'),
        ("name", "text", 'maxlength="200"'),
    ],
)
def test_an_input_has_the_bounds_of_its_field(name: str, kind: str, attributes: str) -> None:
    macros: Any = templates_of("en").get_template("frame/parts.html").module
    view = SimpleNamespace(
        screen=SimpleNamespace(fields=field_schemas(slots.SlotPatch)),
        form_field=lambda _, otherwise: otherwise,
        error_of=lambda _: None,
    )
    assert attributes in str(macros.field(view, name, "Label", type=kind))


def test_an_asset_is_described_alike_in_a_form_and_in_json() -> None:
    of_the_file = {"mime", "bytes", "sha256"}
    in_json = assets.AssetCreate.model_fields.keys() - of_the_file
    assert assets.AssetForm.model_fields.keys() - {"file"} == in_json


@pytest.mark.parametrize("row", [CampaignRow, AdRow])
def test_a_clone_has_every_column_that_is_not_named(row: Any) -> None:
    original = row(**{name: object() for name in row.model_fields})
    clone = copy_of(original, id="its own")
    same = {name for name in row.model_fields if getattr(clone, name) is getattr(original, name)}
    assert row.model_fields.keys() - same == {"id", *NOT_CLONED} & row.model_fields.keys()
    assert NOT_CLONED.keys() <= CampaignRow.model_fields.keys() | AdRow.model_fields.keys()
