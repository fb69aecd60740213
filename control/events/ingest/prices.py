"""What a token promises for an event, before anybody asks whether the budget has it."""

from typing import Protocol

from common.values.enums import Attribution, EventKind, PricingModel, QualitySignal

_BILLED_BY = {
    PricingModel.CPM: EventKind.IMPRESSION,
    PricingModel.CPC: EventKind.CLICK,
    PricingModel.CPA: EventKind.CONVERSION,
}


class Priced(Protocol):
    """An event, as far as its price asks about it."""

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


def price_micros(told: Priced, attribution: Attribution | None, *, bill_in_session: bool) -> int:
    """
    Of a valid event. *attribution*: None, of no conversion.

    A conversion told by a page's own token could be sent by any page: it is billed only where the campaign says so.
    One told by an advertiser's server, or by a click's id, is billed, whether it goes to a click or to a view.
    """
    if told.preview or told.is_test:
        return 0
    if _BILLED_BY.get(told.pricing_model) is not told.kind:
        return 0
    if attribution is Attribution.IN_SESSION and not bill_in_session:
        return 0
    return told.price_micros
