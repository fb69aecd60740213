"""
Every targeting kind is known wherever it must be: a failure names the kind, signal or field that was forgotten.

`CONTRIBUTING.md` has the places. Opens no connection.
"""

from collections.abc import Iterator
from dataclasses import fields, replace
from enum import EnumType
from pkgutil import iter_modules
from typing import Any, get_args

import orjson
import pytest
from babel import Locale
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from common.contract.edge import SERVE
from common.contract.edge_queries import ServeQuery
from common.decision.decide import decide
from common.decision.decision_input import DecisionInput
from common.decision.explain import explain
from common.decision.index import SlotLeafView, indexes_of
from common.decision.record import DecisionRecord, decision_input_of, record_of
from common.decision.recorded_gates import recording
from common.decision.rules import kinds
from common.decision.rules.gates import Gates, Ranking
from common.decision.rules.kinds import (
    DIMENSIONS,
    HEADERS,
    NUMBERS,
    OF_CLIENT,
    PARAMETERS,
    TARGETING_KINDS,
)
from common.decision.rules.kinds.kind import Header, Parameter, TargetingKind
from common.decision.rules.kinds.language import LANGUAGES
from common.decision.rules.opportunity import Opportunity, Signals
from common.decision.rules.outcome import NoFill
from common.decision.rules.targeting import missed_kind, parse_targeting
from common.http.fast_head import PER_REQUEST_HEADERS, FastHead, StableHeaders
from common.snapshot.codec import canonical_json
from common.snapshot.snapshot import Snapshot
from common.values.errors import Detail
from common.values.ids import new_id
from control.dashboard.targeting import fields as form
from control.dashboard.targeting.controls import (
    CONTROLS,
    EVERY_CONTROL,
    QUESTIONS,
    Control,
    Entries,
    Question,
)
from control.dashboard.targeting.messages import TargetingNames
from control.dashboard.targeting.questions import parse_signals
from control.demand.campaigns.targeting import AskedSignals, Targeting
from edge.ports import GeoLocation
from edge.request.call import call_with
from edge.request.keywords import parse_signal
from edge.request.query import parse_query
from edge.serving.opportunity import client_signals
from edge.serving.serve_query import parse_serve_query
from tests.common.decision.worlds import Worlds
from tests.support.builders import (
    a_campaign,
    a_property,
    a_slot,
    a_snapshot,
    an_ad,
    an_opportunity,
)

SEEDS = range(80)
LOCALE = Locale("en")
AGENT = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile/15E148 Safari/604.1"
)
"""A user agent from which every signal of a client can be read."""
TYPED = {Entries.AREAS: "Brazil", Entries.LANGUAGES: "Portuguese", Entries.WORDS: "a"}
OF_ITS_OWN = {"slots"}
"""Targeting that is no kind: which slots it names follows from the snapshot alone."""
COMPARED = [kind for kind in TARGETING_KINDS if kind.dimensions]
NAMES = [kind.name for kind in TARGETING_KINDS]
SIGNALS = [name for dimension in DIMENSIONS for name in dimension.signals]


def _name(item: TargetingKind | Parameter | Header | Control | Question) -> str:
    return item.name


def _value_of(signal: str) -> Any:
    """Some value that is known, not None and not empty."""
    return next(value for seed in SEEDS if (value := getattr(Worlds(seed).signals(), signal)))


def _world(stored: dict[str, Any], signals: Signals) -> tuple[Snapshot, Opportunity]:
    campaign = a_campaign(targeting=canonical_json(stored))
    snapshot = a_snapshot(a_property(), slot := a_slot(), campaign, an_ad(campaign))
    prop = snapshot.properties[slot.property_id]
    return snapshot, replace(an_opportunity(slot), property=prop, signals=signals)


def _fields_of(model: type[BaseModel], path: str) -> Iterator[tuple[str, Any]]:
    """Yields path and type of every field that is not itself a model with fields."""
    for name, info in model.model_fields.items():
        types = [one for one in get_args(info.annotation) or (info.annotation,) if one is not None]
        inner = next(
            (one for one in types if isinstance(one, type) and issubclass(one, BaseModel)), None
        )
        if inner is None or info.annotation == list[inner]:  # type: ignore[valid-type]
            yield f"{path}.{name}", info.annotation
        else:
            yield from _fields_of(inner, f"{path}.{name}")


def test_every_file_declares_a_kind_of_the_list() -> None:
    files = {module.name for module in iter_modules(kinds.__path__)} - {"kind"}
    declared = {
        value.name
        for name in files
        for value in vars(__import__(f"{kinds.__name__}.{name}", fromlist=[name])).values()
        if isinstance(value, TargetingKind)
    }

    assert declared == set(NAMES)
    assert len(files) == len(NAMES)
    assert len({kind.reason for kind in TARGETING_KINDS}) == len(NAMES)


def test_every_signal_is_compared_by_one_kind() -> None:
    assert sorted(SIGNALS) == sorted(field.name for field in fields(Signals))


@pytest.mark.parametrize("signal", SIGNALS)
def test_a_signal_is_stored_as_it_was_given(signal: str) -> None:
    value = _value_of(signal)

    assert getattr(Signals(**{signal: value}), signal) == value


@pytest.mark.parametrize("signal", SIGNALS)
def test_the_key_of_a_client_has_its_signals_and_no_others(signal: str) -> None:
    one = Signals(**{signal: _value_of(signal)})
    of_client = any(signal in dimension.signals for dimension in DIMENSIONS[:OF_CLIENT])

    assert (one.of_client() != Signals().of_client()) is of_client


@pytest.mark.parametrize("kind", TARGETING_KINDS, ids=_name)
def test_a_kind_excludes_the_ads_that_its_rule_excludes_wherever_it_is_used(
    kind: TargetingKind,
) -> None:
    """In the rule, the decision, the masks of page and client, the explanation and the replayed record."""
    found = set()
    for seed in SEEDS:
        worlds = Worlds(seed)
        stored, signals = {kind.name: worlds.stored(kind)}, worlds.signals()
        now_ms = worlds.now_ms()
        snapshot, opportunity = _world(stored, signals)
        missed = missed_kind(parse_targeting(canonical_json(stored)), signals, "UTC", now_ms)
        found.add(missed and missed[1])

        decision = decide(snapshot, opportunity, Gates(), now_ms, seed)
        assert isinstance(decision, NoFill) is bool(missed)
        if isinstance(decision, NoFill):
            assert decision.reason is kind.reason

        index = indexes_of(snapshot, Ranking.GREEDY).find(opportunity.property.id)
        assert index is not None
        view, match_key = (
            SlotLeafView(index, opportunity.slot.id, now_ms),
            index.targeted.project(opportunity),
        )
        masks = view.mask_for_client(match_key), view.mask_for_page(match_key)
        parts = {dimension.of_client for dimension in kind.dimensions} or {True, False}
        assert masks == tuple(int(not missed or part not in parts) for part in (True, False))

        (line,) = explain(snapshot, opportunity, Gates(), now_ms, seed).considered
        assert (line.matched, line.missed) == (((), (kind.name,)) if missed else ((kind.name,), ()))

        decision_input = DecisionInput(snapshot, opportunity, recording(Gates()), now_ms, seed)
        record = orjson.dumps(record_of(new_id(), decision_input, decision))
        again = TypeAdapter(DecisionRecord).validate_python(orjson.loads(record))
        assert decision_input_of(again, snapshot).opportunity.signals == signals

    assert found == {None, kind.reason}


@pytest.mark.parametrize("number", range(len(DIMENSIONS)))
def test_generated_worlds_miss_every_dimension(number: int) -> None:
    dimension = DIMENSIONS[number]
    (kind,) = [kind for kind, own in zip(TARGETING_KINDS, NUMBERS, strict=True) if number in own]
    missed = [
        seed
        for seed in SEEDS
        if not dimension.matches(
            dimension.parse((worlds := Worlds(seed)).stored(kind)), worlds.signals()
        )
    ]

    assert missed, f"{kind.name}: {', '.join(dimension.signals)}"


def test_every_signal_of_the_query_has_a_parameter() -> None:
    of_page = {name for dimension in DIMENSIONS[OF_CLIENT:] for name in dimension.signals}

    assert {parameter.signal for parameter in PARAMETERS} == of_page


@pytest.mark.parametrize("parameter", PARAMETERS, ids=_name)
def test_a_parameter_is_described_and_sets_its_signal(parameter: Parameter) -> None:
    assert parameter.name in ServeQuery.model_fields
    name = f"{parameter.name}.k" if parameter.is_key_values else parameter.name
    query = parse_query(f"slot=a&{name}={next(iter(parameter.choices), 'a')}")

    (found,) = parse_serve_query(query, believed=True).signals

    assert found[0] is parameter
    assert found[1]
    (type_,) = [
        one for each in DIMENSIONS for name, one in each.signals.items() if name == parameter.signal
    ]
    TypeAdapter(type_).validate_python(found[1], strict=True)
    assert bool(parse_serve_query(query, believed=False).signals) is not parameter.believed_only


def test_a_value_that_a_parameter_does_not_have_is_refused_by_name() -> None:
    fruit = Parameter("fruit", description="", choices={"apple": "apple", "pear": "pear"})
    faults: list[Detail] = []

    assert parse_signal(fruit, "apple", faults) == "apple"
    assert parse_signal(fruit, "plum", faults) is None
    assert [(fault.param, fault.code) for fault in faults] == [("fruit", "unknown_value")]


@pytest.mark.parametrize(
    "signal", [name for dimension in DIMENSIONS[:OF_CLIENT] for name in dimension.signals]
)
def test_headers_and_address_give_every_signal_of_the_client(signal: str) -> None:
    sent = {"user-agent": AGENT} | {header.name.lower(): header.example for header in HEADERS}
    caller = call_with(FastHead("", StableHeaders(sent), {}), "", "", 0).caller
    signals = client_signals(GeoLocation("br", "sp"), caller.device, caller.signals)

    assert getattr(signals, signal)


@pytest.mark.parametrize("header", HEADERS, ids=_name)
def test_a_header_is_described_and_cached_with_the_client(header: Header) -> None:
    dimensions = [one for one in DIMENSIONS if header.signal in one.signals]
    assert [one.of_client for one in dimensions] == [True]
    assert header.name.lower() not in PER_REQUEST_HEADERS
    assert SERVE.header_params[header.name] == header.description


@pytest.mark.parametrize("header", HEADERS, ids=_name)
@given(text=st.text(st.characters(max_codepoint=0xFF) | st.just("\udcff"), max_size=40))
def test_any_text_of_a_header_gives_a_signal_of_its_type(header: Header, text: str) -> None:
    (type_,) = [one.signals[header.signal] for one in DIMENSIONS if header.signal in one.signals]
    TypeAdapter(type_).validate_python(header.parse(text), strict=True)
    assert header.parse(header.example)


def test_the_api_accepts_every_kind_and_the_explain_request_every_signal() -> None:
    assert set(Targeting.model_fields) == {*NAMES} | OF_ITS_OWN
    assert set(AskedSignals.model_fields) == set(SIGNALS)


@pytest.mark.parametrize(
    "kind", [kind for kind in COMPARED if hasattr(kind.dimensions[0], "paths")], ids=_name
)
def test_every_list_that_the_api_takes_is_compared(kind: TargetingKind) -> None:
    taken = {
        path.split(".")[2]
        for path, _ in _fields_of(Targeting, "targeting")
        if path.split(".")[1] == kind.name
    }
    compared = {path for each in kind.dimensions for path in getattr(each, "paths", ()) if path}

    assert compared == taken


@pytest.mark.parametrize("kind", COMPARED, ids=_name)
def test_a_value_that_is_stated_twice_is_refused(kind: TargetingKind) -> None:
    refused = set()
    for seed in SEEDS:
        stored = Worlds(seed).stored(kind)
        if kind is LANGUAGES and "pt-br-x" in stored:
            continue  # a tag that edges must bear and the API refuses
        for name, doubled in _with_a_value_twice(stored):
            with pytest.raises(ValidationError, match="only once"):
                Targeting.model_validate({kind.name: doubled})
            refused.add(name)

    assert refused >= {
        path for each in kind.dimensions for path in getattr(each, "paths", ()) if path
    }


def _with_a_value_twice(stored: Any) -> Iterator[tuple[str, Any]]:
    """Yields name and content for each list of words in *stored*, with its first word twice."""
    if isinstance(stored, list) and stored and isinstance(stored[0], str):
        yield "", [*stored, stored[0]]
    if isinstance(stored, dict):
        for name, inner in stored.items():
            yield from ((name, stored | {name: each}) for _, each in _with_a_value_twice(inner))


def test_the_pages_have_every_kind_and_every_field_of_it() -> None:
    assert [kind.kind for kind in CONTROLS] == NAMES
    first = {kind.kind: kind.controls[0].name for kind in CONTROLS if kind.controls}
    assert first.items() <= {kind.kind: kind.anchor for kind in CONTROLS}.items()
    of_form = {*form.FIELDS, *(each.name for each in form.REPEATED)}
    assert of_form == {path for path, _ in _fields_of(Targeting, "targeting")}


@pytest.mark.parametrize("control", EVERY_CONTROL.values(), ids=_name)
def test_a_field_of_the_form_reaches_the_api_and_the_description(control: Control) -> None:
    typed = TYPED.get(control.entries) or next(iter(control.options))

    body, _ = form.read_targeting({control.name: [typed]}, LOCALE)

    stored = Targeting.model_validate(body).stored()
    assert form.fields_of(stored, LOCALE) == {control.name: [typed]}
    assert TargetingNames(LOCALE, {}).of(control, stored) == [control.options.get(typed, typed)]


@pytest.mark.parametrize(
    "control", [one for one in EVERY_CONTROL.values() if one.options], ids=_name
)
def test_the_boxes_of_a_field_are_all_its_values(control: Control) -> None:
    annotation = dict(_fields_of(Targeting, "targeting"))[control.name]
    (type_,) = [one for one in get_args(annotation) if isinstance(one, EnumType)]
    values: list[Any] = [*type_]

    assert set(control.options) == {str(value) for value in values}


def test_a_request_can_be_explained_with_every_signal_of_every_kind() -> None:
    assert {one.name for one in QUESTIONS} | {"region"} == set(AskedSignals.model_fields)
    assert [kind.kind for kind in CONTROLS if not kind.questions] == ["dayparts"]

    typed = {one.name: one.example or next(iter(one.options)) for one in QUESTIONS}
    typed["country"] = "BR-SP"
    signals = AskedSignals.model_validate(parse_signals(LOCALE, lambda name: typed[name]))

    assert signals.model_fields_set == set(AskedSignals.model_fields)
    assert (signals.country, signals.region) == ("br", "sp")
    assert signals.languages == ["pt", "en"]
    assert signals.key_values == {"topic": ["sports"], "plan": ["pro"]}


@pytest.mark.parametrize("question", [one for one in QUESTIONS if one.options], ids=_name)
def test_the_choices_of_a_question_are_all_its_values(question: Question) -> None:
    annotation = AskedSignals.model_fields[question.name].annotation
    (type_,) = [one for one in get_args(annotation) if isinstance(one, EnumType)]
    values: list[Any] = [*type_]

    assert set(question.options) == {str(value) for value in values}
