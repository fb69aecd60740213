"""What the form of a campaign holds: the campaign and its first ad, and what the API's models refuse of both."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from common.contract.validation_errors import refuse
from common.values.errors import ApiError, Detail
from control.dashboard.ads.first_ad import faults_of_first_ad, read_first_ad
from control.dashboard.campaigns.form_fields import SHAPE, read_form
from control.dashboard.form_errors import map_errors_to_fields
from control.dashboard.page_request import PageRequest
from control.demand.campaigns import operations
from control.foundation.http.inputs import validate_body


@dataclass(frozen=True, slots=True)
class Draft:
    """``campaign`` and ``ad``: bodies of the API. Faults have the names of the form's fields."""

    campaign: dict[str, Any]
    ad: dict[str, Any] | None
    campaign_faults: Sequence[Detail]
    ad_faults: Sequence[Detail]

    def check(self, *more: Detail) -> None:
        """Raises `Refused` with every fault, so that nothing is stored unless all of it can be."""
        faults = [*self.campaign_faults, *self.ad_faults, *more]
        if faults:
            raise refuse(faults)


def read_draft(view: PageRequest) -> Draft:
    """
    Of the form as typed.

    Errors that only the database can find (a slot of another property, a reference already in use) appear on saving.
    """
    body, _ = read_form(view.form, view.user_locale.locale)
    ad = read_first_ad(view)
    return Draft(body, ad, _faults_of(view, body), faults_of_first_ad(view, ad) if ad else ())


def placed(view: PageRequest, error: ApiError) -> ApiError:
    """*error* of a campaign's operation, with the names of the form's fields."""
    if not error.details:
        return error
    _, places = read_form(view.form, view.user_locale.locale)
    return map_errors_to_fields(error, view.form, places, SHAPE)


def _faults_of(view: PageRequest, body: dict[str, Any]) -> Sequence[Detail]:
    try:
        validate_body(operations.CREATE, body)
    except ApiError as error:
        return placed(view, error).details
    return ()
