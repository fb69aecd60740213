"""Every parser of untrusted bytes has an entry in the measurement of parsers, or a reason why it needs none."""

import ast
from pathlib import Path

import pytest

from common.contract.edge import EDGE_OPERATIONS
from control.processes.app import OPERATIONS
from loadtests.measure import control_parsers, edge_parsers
from loadtests.measure.control_parsers import CONTROL_PARSERS
from loadtests.measure.edge_parsers import EDGE_PARSERS

ROOT = Path(__file__).parents[2]
ENTRIES = {one.name for one in (*EDGE_PARSERS, *CONTROL_PARSERS)}
EDGE_BODIES = {
    "trackEvent": "body of track",
    "trackEvents": "body of a batch of track",
    "reportConversion": "body of a conversion",
    "verifyClick": "body of a click's verification",
    "stitchAudio": "body of audio stitch",
    "prepareEmail": "body of email prepare",
}
"""The entry of each operation of the edge with a body."""
API_BODIES = {one.body.__name__: one.body for one in OPERATIONS if one.body is not None}

WITHIN = {
    "common.contract.hostnames.parse_public_host": "host names",
    "common.privacy.bits.parse_bits": "consent: TC string",
    "common.privacy.gpp.parse_gpp": "consent: GPP string",
    "common.privacy.tcf.parse_tc_string": "consent: TC string",
    "common.values.keys.parse_key_text": "keys and tokens",
    "control.dashboard.events.params.parse_params": "query of the API",
    "control.dashboard.reports.params.parse_params": "query of the API",
    "control.dashboard.targeting.questions.parse_signals": "form of a page, usual",
    "control.demand.ads.content.parse_content": "JSON body of an ad",
    "control.demand.ads.urls.parse_image_url": "JSON body of an ad",
    "control.demand.ads.urls.parse_url": "URLs of ads",
    "control.events.events_api.cursors.parse_position": "cursors",
    "control.foundation.http.inputs.parse_body": "JSON body, usual",
    "control.identity.users.addresses.parse_email": "email addresses",
    "control.inventory.properties.addresses.parse_ip_range": "JSON body of a property",
    "control.inventory.properties.addresses.parse_origin": "JSON body of a property",
    "control.inventory.slots.rules.parse_slot_key": "JSON body of a slot",
    "control.reporting.exports.export_query.parse_question": "JSON body ExportCreate",
    "edge.request.keywords.parse_signal": "parameters of serve",
    "edge.request.keywords.parse_signals": "parameters of serve",
    "edge.tracking.track_body.parse_object": "body of track",
}
"""Parsers that run within an entry, with its name."""

TRUSTED = {
    "common.decision.rules": "stored targeting, which the API has validated",
    "common.ivt.lists": "the operator's lists of networks",
    "common.pacing.lease_messages": "messages between our processes",
    "common.service": "the operator's settings and key files, and renditions that we made",
    "common.snapshot": "what our own publisher writes",
    "common.tracking.reconcile": "messages between our processes",
    "common.tracking.record": "records of our own spools",
    "control.adapters.bucket": "the operator's settings",
    "control.adapters.smtp_mailer": "the operator's settings",
    "control.dashboard.docs.guides": "the changelog of this repository",
    "control.events.ingest.shared_fields": "records of our own edges",
    "control.foundation.nameserver_addresses": "the operator's settings",
    "control.foundation.subscription_terms": "the operator's settings",
    "control.inventory.domain_verification.verification_state": "a column that we wrote",
    "edge.email.items": "mails that this service prepared, in its Redis",
    "edge.snapshots.state": "the worker's own files",
    "edge.state": "messages between our processes",
    "edge.worker.worker_main": "the supervisor's message",
}
"""Modules and packages whose parsers read nothing of a stranger, and why."""

SHORT = {
    "control.foundation.http.inputs.parse_version": "one pattern of 18 digits",
    "edge.serving.test_controls.parse_test_controls": "two look-ups and a time of 40 characters",
}
"""Parsers of a few bytes."""


def parsers_of(package: str) -> list[str]:
    """The public ``parse_…`` functions of a package's modules, by their whole names (`docs/style.md`)."""
    return [
        f"{'.'.join(file.relative_to(ROOT).with_suffix('').parts)}.{node.name}"
        for file in sorted((ROOT / package).rglob("*.py"))
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("parse_")
    ]


PARSERS = [name for package in ("common", "control", "edge") for name in parsers_of(package)]


def measured() -> set[str]:
    """What the modules with the entries import, by whole names."""
    return {
        f"{node.module}.{one.name}"
        for module in (control_parsers, edge_parsers)
        for node in ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for one in node.names
    }


def is_trusted(name: str) -> bool:
    return any(name.startswith(f"{one}.") for one in TRUSTED)


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_is_measured_or_reads_nothing_of_a_stranger(name: str) -> None:
    places = [name in measured(), name in WITHIN, name in SHORT, is_trusted(name)]
    assert any(places), f"{name}: add an entry to loadtests/measure, or list it here with a reason"
    assert sum(places) == 1, f"{name} is listed in several places"


def test_lists_name_what_exists() -> None:
    assert {*WITHIN, *SHORT} <= set(PARSERS)
    assert {*WITHIN.values(), *EDGE_BODIES.values()} <= ENTRIES
    for one in TRUSTED:
        assert any(name.startswith(f"{one}.") for name in PARSERS), one


def test_every_body_of_the_edge_is_measured() -> None:
    assert {one.id for one in EDGE_OPERATIONS if one.body is not None} == set(EDGE_BODIES)


@pytest.mark.parametrize("name", API_BODIES)
def test_every_body_of_the_api_is_measured(name: str) -> None:
    assert any(one.model is API_BODIES[name] for one in CONTROL_PARSERS)


def test_entries_have_names_of_their_own() -> None:
    assert len(ENTRIES) == len(EDGE_PARSERS) + len(CONTROL_PARSERS)
