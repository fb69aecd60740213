"""
Public names of models and error responses in the description. Class names serve developers of this code; clients see
nouns: `Campaign`, `CampaignPage`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from sanic.helpers import STATUS_CODES

from common.values.errors import ErrorCode

SCHEMAS = "#/components/schemas/"

_NAMES: dict[str, str] = {
    "AdForms": "AdCreate",
    "Attribution": "AttributionInput",
    "AudioIn": "AudioBreakLimitsInput",
    "AudioPublic": "AudioBreakLimits",
    "AuditLine": "AuditEntry",
    "Auth": "CredentialKind",
    "BasisPublic": "ForecastBasis",
    "BillingPublic": "BillingOverview",
    "Block": "LiveBlock",
    "BlockCode": "LiveBlockCode",
    "Budget": "BudgetInput",
    "BulkBody": "BulkCampaignAction",
    "BulkError": "BulkCampaignError",
    "BulkPublic": "BulkCampaignResults",
    "BulkResult": "BulkCampaignResult",
    "CandidatePublic": "DecisionCandidate",
    "CapToCount": "ClientFrequencyCap",
    "Component": "EmbedComponent",
    "Consent": "DecisionConsent",
    "Counts": "EventCounts",
    "Day": "Weekday",
    "DecisionExplained": "DecisionExplanation",
    "DeliveryPublic": "CampaignDelivery",
    "DeliveryStatus": "CampaignDeliveryStatus",
    "Dimension": "ReportDimension",
    "EarningsPublic": "PropertyEarnings",
    "EntryKind": "WalletEntryKind",
    "EntryPublic": "WalletEntry",
    "ExplainConsent": "ServedConsent",
    "ExplainLine": "ServedCandidate",
    "ExplainRequest": "DecisionQuestion",
    "Figures": "ReportFigures",
    "ForecastAsked": "ForecastCreate",
    "Format": "AdFormat",
    "Found": "PrivacyFinding",
    "FrequencyCap": "FrequencyCapInput",
    "Goal": "GoalInput",
    "Granularity": "ReportGranularity",
    "IvtClass": "InvalidTrafficClass",
    "LineKind": "InvoiceLineKind",
    "MediaPublic": "MediaProperties",
    "MeKey": "CallerKey",
    "MePatch": "CallerPatch",
    "MeProperty": "CallerProperty",
    "MePublic": "Caller",
    "MeUser": "CallerUser",
    "Method": "VerificationMethod",
    "Metric": "ReportMetric",
    "Nack": "SnapshotRejection",
    "NoServeReason": "NoServeShare",
    "OpportunityAsked": "DecisionOpportunity",
    "Outcome": "DecisionOutcome",
    "OwnAccount": "AccountMembership",
    "Pace": "DeliveryPace",
    "Payout": "PayoutTermsInput",
    "PayoutPatch": "PayoutTermsPatch",
    "PrivacyKind": "PrivacyRequestKind",
    "PrivacyStatus": "PrivacyRequestStatus",
    "Problem": "VerificationProblem",
    "Propagation": "SnapshotPropagation",
    "PropertyPublic": "PublisherProperty",
    "PropertySdk": "PropertySdkInput",
    "ProposedAd": "ForecastAd",
    "RateLimitPublic": "CallerRateLimit",
    "RateLimitsIn": "RateLimitsInput",
    "Reason": "EventReason",
    "RecordPublic": "VerificationRecord",
    "RecoveryCodes": "RecoveryCodeList",
    "Rejection": "ReviewRejection",
    "ReviewPublic": "ReviewDecision",
    "Revoked": "SessionRevocation",
    "Role": "MemberRole",
    "SecretRotation": "SharedSecretRotation",
    "Served": "ServeAnswer",
    "SightingPublic": "VerificationSighting",
    "SizeIn": "SizeInput",
    "Snapshot": "SnapshotPosition",
    "Sort": "CampaignSort",
    "Source": "AdSource",
    "SpanPublic": "ForecastInterval",
    "StatusKey": "IntegrationStatusKey",
    "StatusPublic": "IntegrationStatus",
    "Theme": "EmbedTheme",
    "Today": "DeliveryToday",
    "TokenAnswer": "TokenGrant",
    "TrackBody": "TrackRequest",
    "TrackManyBody": "TrackBatchRequest",
    "TrackRefusal": "TrackError",
    "TrackedMany": "TrackBatchResults",
    "TrackedOne": "TrackResult",
    "Tracking": "AdvertiserTrackingInput",
    "TrackingPublic": "AdvertiserTrackingUrls",
    "UploadPublic": "AssetUpload",
    "ConsentReason": "ConsentSignal",
    "Window": "FrequencyWindowInput",
    "WindowPublic": "FrequencyWindow",
}
"""Public names by class name; all other names follow from a rule."""

_PAGE = re.compile(r"Page_(?P<item>\w+)_")
_PASCAL = re.compile(r"(?:^|_)([a-z0-9])")
_EVERYWHERE = frozenset(
    {
        ErrorCode.MISSING_KEY,
        ErrorCode.INVALID_KEY,
        ErrorCode.WRONG_ENVIRONMENT,
        ErrorCode.KEY_REVOKED,
        ErrorCode.TENANT_SUSPENDED,
        ErrorCode.PERMISSION_LOST,
    }
)
"""Codes of nearly every operation with their status, or codes that accompany another one that names the response."""


def model_name(class_name: str) -> str:
    """`CampaignPublic` becomes `Campaign`, a page of them `CampaignPage`."""
    if class_name in _NAMES:
        return _NAMES[class_name]
    page = _PAGE.fullmatch(class_name)
    if page:
        return f"{model_name(page['item'])}Page"
    return class_name.removesuffix("Public")


def named(definitions: dict[str, Any]) -> dict[str, Any]:
    """Returns *definitions* under their public names. Raises ValueError where two would have the same name."""
    names = {old: model_name(old) for old in definitions}
    twice = [name for name, count in Counter(names.values()).items() if count > 1]
    if twice:
        raise ValueError(f"Two models would be called {twice}: name one in `_NAMES`.")
    found = {names[old]: renamed(schema) for old, schema in definitions.items()}
    for name, schema in found.items():
        schema["title"] = name
    return dict(sorted(found.items()))


def renamed(schema: Any) -> Any:
    """Returns *schema* with references to models under their public names."""
    if isinstance(schema, list):
        return [renamed(one) for one in schema]
    if not isinstance(schema, dict):
        if isinstance(schema, str) and schema.startswith(SCHEMAS):
            return SCHEMAS + model_name(schema.removeprefix(SCHEMAS))
        return schema
    return {name: renamed(inner) for name, inner in schema.items()}


def answer_name(status: int, codes: Sequence[ErrorCode]) -> str:
    """
    Returns the name of an error response: `NotFound`, or the status and its particular codes.

    The phrases are Sanic's, as in a status line: those of `http.HTTPStatus` differ between versions of Python.
    """
    if len(codes) == 1:
        return _pascal(codes[0])
    phrase = STATUS_CODES[status].decode().title().replace(" ", "")
    return phrase + "".join(_pascal(code) for code in codes if code not in _EVERYWHERE)


def enum_names(model: str, values: Iterable[str]) -> list[str]:
    """
    Returns names of an enum's constants: `AdStatusActive`. They begin with the model's name, because some languages
    have one namespace for the constants of all enums.
    """
    return [model + _pascal(re.sub(r"[^a-z0-9]+", "_", _signed(value).lower())) for value in values]


def _signed(value: str) -> str:
    """A `-name` sorts in descending order; a constant's name cannot contain the sign."""
    return f"{value[1:]}_descending" if value.startswith("-") else value


def _pascal(text: str) -> str:
    return _PASCAL.sub(lambda found: found[1].upper(), text)
