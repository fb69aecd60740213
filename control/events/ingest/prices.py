"""The price that a token promises for an event, before the budget is checked."""

from typing import Protocol

from common.values.enums import Attribution, EventKind, PricingModel, QualitySignal

_BILLED_BY = {
    PricingModel.CPM: EventKind.IMPRESSION,
    PricingModel.CPC: EventKind.CLICK,
    PricingModel.CPA: EventKind.CONVERSION,
}


class Priced(Protocol):
    """The fields of an event that its price depends on."""

    @property
    def kind(self) -> EventKind | QualitySignal: ...
    @property
    def is_test(self) -> bool: ...
    @property
    def preview(self) -> bool: ...
    @property
    def pricing_model(self) -> PricingModel: ...
    @property
    def price_micros(self) -> int: ...


def price_micros(priced: Priced, attribution: Attribution | None, *, bill_in_session: bool) -> int:
    """
    Price of a valid event in micros. *attribution*: None where it is no conversion.

    A conversion reported with a page's own token could be sent by any page: it is billed only if the campaign allows
    it. One reported by an advertiser's server, or with a click id, is billed, whether it is attributed to a click or to
    a view.
    """
    if priced.preview or priced.is_test:
        return 0
    if _BILLED_BY.get(priced.pricing_model) is not priced.kind:
        return 0
    if attribution is Attribution.IN_SESSION and not bill_in_session:
        return 0
    return priced.price_micros
