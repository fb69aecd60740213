"""
A field of a resource is known wherever it must be: in the create and patch models, the response, the table, the forms,
the page and the list's filters. `tests.control.resource_table` names what is left out on purpose.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

import control.dashboard
import control.storage.migrations
from common.snapshot.defaults import (
    default_banner,
    default_campaign,
    default_property,
    default_slot,
)
from control.dashboard.campaigns.form_page import used_parts
from control.dashboard.page_registry import SCREENS
from control.dashboard.rendering import templates_of
from control.demand.ads.examples import AD
from control.demand.assets import schemas as assets
from control.demand.campaigns.clone import NOT_CLONED, copy_of
from control.demand.campaigns.examples import CAMPAIGN
from control.foundation.resource_models import field_schemas
from control.inventory.properties.examples import PROPERTY
from control.inventory.slots import schemas as slots
from control.inventory.slots.examples import SLOT
from control.outbox.objects import ad_of, campaign_of, property_of, slot_of
from control.storage.tables.campaigns import AdRow, CampaignRow
from tests.control.resource_table import RESOURCES, Form, Resource

_TEMPLATES = Path(control.dashboard.__file__).parent / "templates"
_VERSIONS = Path(control.storage.migrations.__file__).parent / "versions"
_EVERY = pytest.mark.parametrize("one", RESOURCES, ids=lambda one: one.name)
_FORMS = pytest.mark.parametrize(
    "form",
    [form for one in RESOURCES for form in one.forms],
    ids=lambda form: form.model.__name__,
)
_FILTERS = [
    (screen.name, name)
    for screen in SCREENS
    for name, schema in screen.filters.items()
    if "maxLength" in schema
]
_OF_ALL_FORMS = frozenset({"version", "once", "act"})
_PAGING = frozenset({"environment", "limit", "cursor"})
_MACRO = r'(?:field|area|choice|check|boxes|pick|pick_many|pick_timezone)\(view, "([a-z_.0-9]+)"'
_CALL = re.compile(r'\{\{ ?(?:\w+\.)?\w+\(view, "([a-z_.0-9]+)"(.*?)\}\}', re.DOTALL)
_CHOICE = re.compile(
    r'(?:choice\(view, "([a-z_.]+)", _\(".*?"\), |<select[^>]* name="([a-z_]+)".*? in )'
    r"([^\n]*?)(?:, value=|, required|\) \}\}| %\})"
)
_INPUT = re.compile(rf'{_MACRO}|<(?:input|select|textarea)[^>]*? name="([a-z_.0-9]+)"')


def _writable(one: Resource) -> set[str]:
    return {*one.create.model_fields, *one.patch.model_fields}


def _inputs(*templates: str) -> set[str]:
    """The names of inputs in the templates; of those made of parts, none."""
    return _names_in("".join((_TEMPLATES / name).read_text() for name in templates))


def _names_in(text: str) -> set[str]:
    return {macro or plain for macro, plain in _INPUT.findall(text)}


def _leaves(form: Form) -> Iterator[str]:
    """The fields of its model that the form should have, except those of targeting."""
    for name in field_schemas(form.model):
        starts = (name, name.partition(".")[0])
        if not (form.lacks.keys() & set(starts)) and starts[1] != "targeting":
            yield name


@_EVERY
def test_every_field_of_a_request_is_in_the_response(one: Resource) -> None:
    assert _writable(one) - one.public.model_fields.keys() == set(one.not_answered)


@_EVERY
def test_every_response_field_is_set_by_a_request_or_read_only(one: Resource) -> None:
    not_set = one.public.model_fields.keys() - _writable(one)
    assert not_set == set(one.read_only)


@_EVERY
def test_every_request_field_has_a_column(one: Resource) -> None:
    columns = {
        column
        for name in _writable(one) - one.not_answered.keys()
        for column in one.columns.get(name, (name,))
    }
    assert columns - one.row.model_fields.keys() == set()


@_EVERY
def test_every_column_is_in_a_response_or_hidden(one: Resource) -> None:
    answered = {
        column for name in one.public.model_fields for column in one.columns.get(name, (name,))
    }
    assert one.row.model_fields.keys() - answered == set(one.hidden_columns) & set(
        one.row.model_fields
    )


@_EVERY
def test_the_page_shows_each_field(one: Resource) -> None:
    text = "".join((_TEMPLATES / name).read_text() for name in one.page)
    hidden = {name for name in one.public.model_fields if not re.search(rf"\.{name}\b", text)}
    assert hidden == set(one.not_on_page)


@_EVERY
def test_the_page_of_the_list_offers_each_filter(one: Resource) -> None:
    filters = set(one.listed.model_fields) - _PAGING if one.listed else set()
    text = (_TEMPLATES / one.list_page).read_text() if one.list_page else ""
    searched = {"q"} if "{{ search_field(" in text else set()
    offered = (_inputs(one.list_page) if one.list_page else set()) | searched
    assert filters - offered == set(one.not_offered)
    kept = {name for name in offered if re.search(rf'params(?:\.get\("{name}"|\.{name}\b)', text)}
    kept |= searched
    assert offered - kept <= {"ids", "sort"}  # the others show what the list is filtered by
    assert offered - filters <= {"ids"}  # boxes of rows


@_EVERY
def test_each_filter_of_a_list_is_a_column_or_has_a_condition(one: Resource) -> None:
    filters = set(one.listed.model_fields) - _PAGING if one.listed else set()
    apart = {"q"} & filters
    if one.name == "campaigns":
        apart |= {"updated_since", "property_id", "sort"}
    assert filters - one.row.model_fields.keys() == apart


@_FORMS
def test_a_form_has_each_field_that_it_may_set(form: Form) -> None:
    assert set(_leaves(form)) - _inputs(*form.templates) == set()


@pytest.mark.parametrize(
    "form",
    [
        form
        for one in RESOURCES
        for form in one.forms
        if form.model is one.patch and "*" not in form.filled_apart
    ],
    ids=lambda form: form.model.__name__,
)
def test_a_form_that_changes_an_object_is_filled_with_its_values(form: Form) -> None:
    """An input without its value would clear the field when the form is saved."""
    text = "".join((_TEMPLATES / name).read_text() for name in form.templates)
    empty = {
        name
        for name, rest in _CALL.findall(text)
        if name in {*_leaves(form)} and not re.search(rf"{name.rpartition('.')[2]}|flags", rest)
    }
    assert empty - {"sizes"} == set(form.filled_apart)


@_FORMS
def test_each_field_of_a_form_is_of_the_api(form: Form) -> None:
    known = {*field_schemas(form.model), *form.adds, *_OF_ALL_FORMS}
    starts = tuple(f"{name}." for name in (*form.lacks, "content"))
    unknown = {name for name in _inputs(*form.templates) - known if not name.startswith(starts)}
    assert {name for name in unknown if name.partition(".")[0] != "targeting"} == set()


@_EVERY
def test_a_page_offers_each_value_of_a_closed_set(one: Resource) -> None:
    """What it has no words for cannot be chosen, and a page that shows it fails."""
    pages = [(form.model, form.templates) for form in one.forms]
    if one.listed and one.list_page:
        pages.append((one.listed, (one.list_page,)))
    lacking = {
        (name, value)
        for model, templates in pages
        for name, options in _options(*templates)
        for value in field_schemas(model).get(name, {}).get("enum", ())
        if f'"{value}"' not in options
    }
    assert lacking == set()


def _options(*templates: str) -> Iterator[tuple[str, str]]:
    """The field of each choice in the templates, and its options. Not of those whose options Python makes."""
    for template in templates:
        path = _TEMPLATES / template
        shared = "".join(parts.read_text() for parts in path.parent.glob("parts.html"))
        lists = dict(re.findall(r"\{% set ([A-Z_]+) = (\[.*?\]) %\}", shared, re.DOTALL))
        for field, filtered, options in _CHOICE.findall(path.read_text()):
            named = [lists.get(name, "") for name in re.findall(r"\b[A-Z_]+\b", options)]
            if re.match(r"\[|[A-Z]", options):
                yield field or filtered, "".join((options, *named))


_SHOWN_WITH = {
    "goal.total": {"goal.kind": ["impressions"]},
    "share_of_voice_percent": {"priority": ["sponsorship"]},
}
"""The field that a page shows some fields with; without it their text is dropped."""


@_FORMS
def test_each_field_of_a_form_is_read(form: Form) -> None:
    for name in _leaves(form):
        body: Any = form.read({name: ["1"]} | _SHOWN_WITH.get(name, {}))
        for step in name.split("."):
            assert step in body, name
            body = body[step]


@_FORMS
def test_forms_state_no_bounds_of_the_api_again(form: Form) -> None:
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
        label_field=lambda _, label: label,
        error_of=lambda _: None,
    )
    assert attributes in str(macros.field(view, name, "Label", type=kind))


@pytest.mark.parametrize(("screen", "name"), _FILTERS, ids=str)
def test_a_text_filter_has_the_bound_of_its_parameter(screen: str, name: str) -> None:
    (shown,) = [one for one in SCREENS if one.name == screen]
    macros: Any = templates_of("en").get_template("frame/parts.html").module
    given = str(macros.filter_field(SimpleNamespace(screen=shown), name, "Label", ""))

    longest = int(re.findall(r'maxlength="(\d+)"', given)[0])
    listed = shown.listed or shown.needs
    assert listed is not None
    assert listed.query is not None
    assert "string_too_long" not in _faults(listed.query, name, "a" * longest)
    assert "string_too_long" in _faults(listed.query, name, "a" * (longest + 1))


def _faults(model: type[BaseModel], name: str, value: object) -> set[str]:
    """The types of the errors of a field's *value*."""
    field = model.model_fields[name]
    stated: Any = (field.annotation, *field.metadata, ...)  # two at least
    try:
        TypeAdapter(Annotated[stated]).validate_python(value)
    except ValidationError as error:
        return {one["type"] for one in error.errors()}
    return set()


def test_each_text_filter_takes_its_bound_from_the_list() -> None:
    inputs = [
        found
        for path in _TEMPLATES.rglob("*.html")
        for form in re.findall(r'<form[^>]*class="filters".*?</form>', path.read_text(), re.DOTALL)
        for found in re.findall(r'<input[^>]*type="search"[^>]*>', form)
    ]
    assert [one for one in inputs if 'maxlength="{{' not in one] == []


def test_a_folded_section_is_open_where_one_of_its_fields_is_set() -> None:
    text = (_TEMPLATES / "campaigns/form.html").read_text()
    folds = re.findall(r'\{% call fold\("(\w+)"(.*?)\n    \{% endcall', text, re.DOTALL)
    fields = [(part, name) for part, fold in folds for name in _names_in(fold)]

    assert {part for part, _ in fields} == {"attribution", "more"}
    assert [name for part, name in fields if used_parts({name: ["on"]}) != {part}] == []


def test_a_folded_section_names_each_of_its_fields() -> None:
    """A field that it does not name would stay out of sight with its error."""
    folded = r"<details[^>]*view\.is_open\((.*?)\) %\} open(.*?)</details>"
    folds = [
        (re.findall(r'"([a-z_.]+)"', opened)[1:], _names_in(fold))
        for path in _TEMPLATES.rglob("*.html")
        for opened, fold in re.findall(folded, path.read_text(), re.DOTALL)
    ]

    assert {"weight", "tracking.click_urls"} <= set().union(*(names for _, names in folds))
    unnamed = {
        name
        for starts, names in folds
        for name in names
        if not any(f"{name}.".startswith(f"{start}.") for start in starts)
    }
    assert unnamed == set()


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


def test_a_clone_takes_no_column_that_makes_its_original_unique() -> None:
    rows: list[Any] = [CampaignRow, AdRow]
    indexes = [index for row in rows for index in row.__table__.indexes if index.unique]
    unique = [{*index.columns.keys()} for index in indexes]
    assert unique
    assert [columns for columns in unique if not columns & {"id", *NOT_CLONED}] == []


@_EVERY
def test_a_migration_adds_every_column(one: Resource) -> None:
    text = "".join(path.read_text() for path in _VERSIONS.glob("*.py"))
    columns = [column.name for column in one.row.__table__.columns]  # type: ignore[attr-defined]
    added = (
        r"Column\(\s*['\"]{0}['\"]|\badd (?:column )?{0}\b|^ *{0} [a-z]"
        r"|(?<!\w)\(['\"]{1}['\"], ['\"]{0}['\"]\)|= \(['\"]{0}['\"],\)"  # tuples of columns to add
    )
    lacking = [
        name
        for name in columns
        if not re.search(added.format(name, one.row.__tablename__), text, re.MULTILINE)
    ]
    assert lacking == []


@_EVERY
def test_a_text_has_no_control_characters(one: Resource) -> None:
    """Neither PostgreSQL nor a header can hold them."""
    taken = set()
    for model in (one.create, one.patch):
        for name in model.model_fields:
            if not _faults(model, name, "a\x07b"):
                taken.add(name)
    assert taken <= {"password"}


_ROW_APART: dict[str, Any] = {
    "budget_total_cents": 100,
    "budget_daily_cents": None,
    "stopped": False,
}
_TO_EDGES: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "campaigns": (CAMPAIGN | {"start_at": None, "end_at": None}, lambda row: campaign_of(row, 0)),
    "ads": (AD, lambda row: ad_of(row, before=None, campaign_forgotten=False)),
    "properties": (PROPERTY, lambda row: property_of(row, "USD", ())),
    "slots": (SLOT, slot_of),
}


@pytest.mark.parametrize("name", _TO_EDGES)
def test_the_object_of_edges_is_made_of_a_row(name: str) -> None:
    """Each field that edges know is passed, and no other: the object says so itself. Those of tests and demos too."""
    example, make = _TO_EDGES[name]
    row = SimpleNamespace(**example | _ROW_APART | {"environment": "live", "account_id": "a"})
    row.status = "verified" if name == "properties" else "active"
    campaign = default_campaign("c", "a", "p", 1)
    plain = {
        "campaigns": campaign,
        "ads": default_banner("b", campaign),
        "properties": default_property("p", "a"),
        "slots": default_slot("s", "p", "top"),
    }

    assert type(make(row)) is type(plain[name])
