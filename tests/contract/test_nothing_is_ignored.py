"""
Every field that the description lets a caller write is read by something. What this proves, and no more, by field and
model, in the code of the operation's own plane; what only carries values (models, rows, tables, examples, pages) is
left out. A field is read where a function takes it as an attribute, or below as a key,

- from a variable made or annotated with the field's model, or with one that holds it;
- or, of a body, in a module that names a row made from it, and the row has a column of that name;
- or, of a field inside another, in a module that takes the other, too; a field that holds others is read with them;
- or, of a resource, by the list that filters by its column (`control.api.listing.equal_to`);
- or in the modules that `_READ_AT` gives for its model.

`tests/control/test_edges_receive_changes.py` shows of what edges decide by that a changed field changes what they have.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, get_args

import pytest
from pydantic import BaseModel, create_model

from common.contract.edge import EDGE_OPERATIONS
from common.contract.models import WireIn
from common.contract.operation import Operation, Plane
from control.billing.wallet.operations import CREATE_TOP_UP
from control.demand.ads.operations import REJECT as REJECT_AD
from control.inventory.slots.operations import CREATE as CREATE_SLOT
from control.processes.app import OPERATIONS as CONTROL_OPERATIONS
from control.storage.tables.base import Row
from deploy.standalone.child import ROOT

_OPERATIONS = (*CONTROL_OPERATIONS, *EDGE_OPERATIONS)
_CARRIERS = frozenset(
    {
        "schemas.py",
        "content.py",
        "action_schemas.py",
        "operations.py",
        "examples.py",
        "rows.py",
        "keywords.py",
    }
)
_NOT_READERS = (
    "control/storage/tables/",
    "control/dashboard/",
    "control/storage/migrations/",
    "common/contract/",
)
_WINDOWS = ("control/dashboard/embed/", "control/dashboard/routing.py")
"""Pages carry what forms send; these two read what an embedded window was asked for with."""
_ROOMS: dict[Plane, tuple[str, ...]] = {
    Plane.CONTROL: ("control", "common", "edge"),
    Plane.EDGE: ("edge", "common"),
}
_CAMPAIGN_TERMS = ("control/demand/campaigns/", "control/outbox/")
_SAVED_VIEWS = ("control/reporting/views/", "control/reporting/reports/")
_TRACK_BODIES = ("edge/tracking/track_", "edge/endpoints/track", "edge/serving/test_controls.py")
_READ_AT: dict[str, tuple[str, ...]] = {
    "AssetForm": ("control/demand/assets/",),
    "AuditQuery": ("control/identity/audit_log/",),
    "AskedSignals": ("common/decision/rules/kinds/",),
    "AccountPatch": (
        "control/api/authentication.py",
        "control/demand/campaigns/review.py",
        "control/identity/members/invitations.py",
    ),
    "Attribution": ("control/events/attribution/", "common/tracking/attribution.py"),
    "AttributionPatch": ("control/events/attribution/", "common/tracking/attribution.py"),
    "Budget": _CAMPAIGN_TERMS,
    "BudgetPatch": _CAMPAIGN_TERMS,
    "ClickVerification": ("edge/endpoints/click_verification",),
    "ConversionBody": ("edge/tracking/conver",),
    "ConversionPixelQuery": ("edge/tracking/conver",),
    "EmailConsent": ("common/privacy/consent",),
    "EmailPrepareBody": ("edge/email/",),
    "EmailRecipient": ("edge/email/",),
    "EmbedContext": _WINDOWS,
    "ExportCreate": ("control/reporting/exports/", "control/reporting/reports/"),
    "FeaturesQuery": ("edge/endpoints/", "edge/serving/"),
    "ForecastAsked": ("control/reporting/forecast/", *_CAMPAIGN_TERMS),
    "HoursQuery": ("control/reporting/reports/",),
    "ListenerConsent": ("edge/serving/consent.py",),
    "MePatch": ("control/identity/users/mails.py", "control/identity/members/"),
    "PasswordGrant": ("control/identity/sessions/",),
    "PropagationQuery": ("control/delivery/edge_status/", "control/api/listing.py"),
    "ReportQuery": ("control/reporting/reports/",),
    "ServeQuery": (
        *("edge/endpoints/", "edge/serving/", "edge/request/", "edge/admission/"),
        "common/decision/rules/kinds/",
    ),
    "Targeting": ("common/decision/rules/kinds/",),
    "TrackBody": _TRACK_BODIES,
    "TrackManyBody": _TRACK_BODIES,
    "TrackQuery": ("edge/endpoints/", "edge/tracking/", "edge/serving/test_controls.py"),
    "ViewCreate": _SAVED_VIEWS,
    "ViewPatch": _SAVED_VIEWS,
    "ViewParameters": _SAVED_VIEWS,
}
"""By model: the modules, by how their paths begin, that take its fields from something of another class."""
_OF_PAGES = {"cursor": ("control/api/listing.py",), "limit": ("control/api/listing.py",)}
"""By field, whatever the model."""
_OWN_DATA = "the caller's own, kept and given back"
_LISTED = {
    ("ViewParameters", "chart"): "kept and given back, and the page that opens the view draws it",
    ("ViewParameters", "compare"): "kept and given back, and the page that opens the view compares",
    ("ExportCreate", "ad_format"): "its own model hands it to the report as `format`",
    ("PasswordGrant", "grant_type"): "chooses the model of the grant",
    ("RefreshGrant", "grant_type"): "chooses the model of the grant",
    ("CampaignCreate", "metadata"): _OWN_DATA,
    ("CampaignPatch", "metadata"): _OWN_DATA,
    ("ForecastAsked", "metadata"): "that of a campaign, whose body may be sent as it is",
    ("PasswordGrant", "username"): "its own model takes it for `email`",
}
"""By model: the fields that no code takes by their name, each with its reason."""


@dataclass(frozen=True, slots=True)
class _Written:
    """
    A field: ``attribute`` is its name in Python, ``model`` its own model; ``models`` are its own and those that hold
    it, ``holder`` is the field that its model is in.
    """

    name: str
    attribute: str
    top: type[BaseModel]
    models: frozenset[str]
    holder: str | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class _Code:
    """
    A module: ``used`` are the names in it, ``taken`` the attributes and texts it reads. ``of_classes``: a class, and an
    attribute that a statement of the module reads from a variable that it made or annotated with it.
    """

    where: str
    used: frozenset[str]
    taken: frozenset[str]
    of_classes: frozenset[tuple[str, str]]


def _models(kind: Any) -> Iterator[type[BaseModel]]:
    """Of an annotation, however deep; a model once."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
    for part in get_args(kind):
        yield from _models(part)


def _fields(
    model: type[BaseModel], outer: _Written, seen: set[type[BaseModel]]
) -> Iterator[_Written]:
    """*outer*: the field that *model* is in."""
    if model in seen:
        return
    seen.add(model)
    bases = [base.__name__ for base in model.__mro__ if issubclass(base, BaseModel)]
    models = outer.models | set(bases) - {BaseModel.__name__, WireIn.__name__}
    for name, field in model.model_fields.items():
        one = _Written(
            field.alias or name, name, outer.top, models, outer.name or None, model.__name__
        )
        inside = _Written(outer.name if name == "root" else one.name, name, outer.top, models)
        inner = [found for kind in (field.annotation, *field.metadata) for found in _models(kind)]
        if not inner:
            yield one
        for found in inner:
            yield from _fields(found, inside, seen)


def _written(operation: Operation) -> Iterator[_Written]:
    seen = set[type[BaseModel]]()
    for model in (operation.body, operation.form, operation.query):
        if model is not None:
            yield from _fields(model, _Written("", "", model, frozenset()), seen)


@cache
def _code_of(plane: Plane) -> tuple[tuple[_Code, ...], frozenset[tuple[str, str]]]:
    """Its modules; and of all of them together, each class with an attribute that is read from it."""
    modules = tuple(one for room in _ROOMS[plane] for one in _modules_below(room))
    return modules, frozenset().union(*(one.of_classes for one in modules))


@cache
def _modules_below(room: str) -> tuple[_Code, ...]:
    modules = []
    for path in sorted((ROOT / room).rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        is_reader = where.startswith(_WINDOWS) or not where.startswith(_NOT_READERS)
        if path.name not in _CARRIERS and is_reader:
            modules.append(_code(where, ast.parse(path.read_bytes())))
    return tuple(modules)


def _code(where: str, tree: ast.Module) -> _Code:
    used, taken = set[str](), set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Load()):
                used.add(name)
                taken.add(name)
            case ast.Name(id=name):
                used.add(name)
            case ast.Constant(value=str(text)) if text.isidentifier():
                taken.add(text)
    reads = frozenset(one for statement in tree.body for one in _reads(statement))
    return _Code(where, frozenset(used), frozenset(taken), reads)


def _reads(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Class and attribute, of each attribute that is read from a variable of that class, or from a call with it."""
    classes = _classes_by_variable(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            of = classes.get(node.value.id, ()) if isinstance(node.value, ast.Name) else ()
            for name in {*of, *_names(node.value)}:
                yield name, node.attr


def _classes_by_variable(tree: ast.AST) -> dict[str, set[str]]:
    found = dict[str, set[str]]()
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name, annotation=ast.expr() as source):
                found.setdefault(name, set()).update(_names(source))
            case ast.AnnAssign(target=ast.Name(id=name), annotation=source):
                found.setdefault(name, set()).update(_names(source))
            case ast.Assign(targets=[ast.Name(id=name)], value=source):
                found.setdefault(name, set()).update(_names(source))
            case ast.For(target=ast.Name(id=name), iter=source):
                found.setdefault(name, set()).update(_names(source))
            case ast.comprehension(target=ast.Name(id=name), iter=source):
                found.setdefault(name, set()).update(_names(source))
            case _:
                pass
    return found


def _names(source: ast.AST) -> set[str]:
    """The names in *source*, also of a class in another module."""
    names = {node.id for node in ast.walk(source) if isinstance(node, ast.Name)}
    return names | {node.attr for node in ast.walk(source) if isinstance(node, ast.Attribute)}


@cache
def _rows_made_in(folder: str) -> dict[str, frozenset[str]]:
    """The columns of each row that the code in *folder* makes."""
    rows = {row.__name__: frozenset(row.model_fields) for row in Row.__subclasses__()}
    made = set[str]()
    for path in (ROOT / folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in rows:
                    made.add(name)
    return {name: rows[name] for name in made}


@cache
def _filters_of(folder: str) -> frozenset[str]:
    """The columns with which the lists of the resource in *folder* compare their parameters."""
    rows = {row.__name__: frozenset(row.model_fields) for row in Row.__subclasses__()}
    compared = set[str]()
    for path in (ROOT / folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            match node:
                case ast.Call(func=ast.Name(id="equal_to"), args=[_, ast.Name(id=name)]):
                    compared |= rows[name]
                case _:
                    pass
    queries = [one.query for one in _OPERATIONS if one.query and _folder_of(one.query) == folder]
    return frozenset(name for query in queries for name in query.model_fields if name in compared)


def _folder_of(model: type[BaseModel]) -> str:
    return model.__module__.rpartition(".")[0].replace(".", "/")


def _is_read(field: _Written, plane: Plane) -> bool:
    modules, of_classes = _code_of(plane)
    places = tuple(start for model in field.models for start in _READ_AT.get(model, ()))
    places += _OF_PAGES.get(field.name, ())
    folder = _folder_of(field.top)
    if field.holder is None and field.name in _filters_of(folder):
        return True
    rows = _rows_made_in(folder)
    stored = {name for name, columns in rows.items() if field.name in columns}
    stored |= {name.removesuffix("Row") for name in stored}
    """A row, and what edges have of it."""
    names = {field.name, field.attribute}
    pairs = {(model, name) for model in field.models for name in names}
    return bool(pairs & of_classes) or any(
        names & module.taken
        and (
            (field.holder is None and stored & module.used)
            or field.holder in module.taken
            or module.where.startswith(places)
        )
        for module in modules
    )


def _unread(operation: Operation) -> set[tuple[str, str]]:
    """Model and field."""
    return {
        (one.model, one.name) for one in _written(operation) if not _is_read(one, operation.plane)
    }


@pytest.mark.parametrize("operation", _OPERATIONS, ids=lambda one: one.id)
def test_every_field_that_a_caller_may_write_is_read(operation: Operation) -> None:
    assert _unread(operation) <= set(_LISTED)


def test_every_field_on_the_list_is_written_and_still_unread() -> None:
    assert set().union(*map(_unread, _OPERATIONS)) == set(_LISTED)


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        *product(
            (CREATE_SLOT, REJECT_AD, CREATE_TOP_UP),
            ("url", "title", "note", "email", "kind", "value", "metadata", "chart", "username"),
        ),
        (CREATE_TOP_UP, "name"),
    ],
    ids=lambda one: getattr(one, "id", one),
)
def test_a_new_field_that_nothing_reads_is_found_though_others_have_its_name(
    operation: Operation, name: str
) -> None:
    body = operation.body
    assert body is not None
    field: Any = (str | None, None)
    changed = create_model(
        body.__name__, __base__=body, __module__=body.__module__, **{name: field}
    )
    (added,) = [
        one
        for one in _fields(changed, _Written("", "", changed, frozenset()), set())
        if one.name == name
    ]

    assert not _is_read(added, operation.plane)
    assert (added.model, added.name) not in _LISTED
