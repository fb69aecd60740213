"""Which operations the server libraries have, and by what name: resource, method, operation of the description."""

from typing import Final

MANAGEMENT: Final[dict[str, dict[str, str]]] = {
    "campaigns": {
        "list": "listCampaigns",
        "create": "createCampaign",
        "get": "getCampaign",
        "update": "updateCampaign",
        "activate": "activateCampaign",
        "pause": "pauseCampaign",
        "resume": "resumeCampaign",
        "archive": "archiveCampaign",
        "clone": "cloneCampaign",
        "delivery": "getCampaignDelivery",
        "forecast": "forecastCampaign",
        "bulk": "bulkCampaigns",
    },
    "ads": {
        "list": "listAds",
        "create": "createAd",
        "get": "getAd",
        "update": "updateAd",
        "activate": "activateAd",
        "pause": "pauseAd",
        "resume": "resumeAd",
        "archive": "archiveAd",
    },
    "assets": {
        "list": "listAssets",
        "create": "createAsset",
        "get": "getAsset",
        "update": "updateAsset",
        "complete": "completeAsset",
        "archive": "archiveAsset",
    },
    "properties": {
        "list": "listProperties",
        "create": "createProperty",
        "get": "getProperty",
        "update": "updateProperty",
        "start_verification": "startVerification",
        "verify": "verifyProperty",
    },
    "slots": {
        "list": "listSlots",
        "create": "createSlot",
        "get": "getSlot",
        "update": "updateSlot",
    },
    "sdk_keys": {
        "list": "listSdkKeys",
        "create": "createSdkKey",
        "get": "getSdkKey",
        "update": "updateSdkKey",
        "rotate": "rotateSdkKey",
        "revoke": "revokeSdkKey",
    },
    "integration_keys": {
        "list": "listIntegrationKeys",
        "create": "createIntegrationKey",
        "get": "getIntegrationKey",
        "update": "updateIntegrationKey",
        "rotate": "rotateIntegrationKey",
        "revoke": "revokeIntegrationKey",
    },
    "events": {"list": "listEvents"},
    "reports": {
        "delivery": "getDeliveryReport",
        "hours": "getHoursReport",
        "create_export": "createExport",
        "list_exports": "listExports",
        "get_export": "getExport",
        "delete_export": "deleteExport",
    },
    "decisions": {"explain": "explainDecision"},
    "embed_sessions": {"create": "createEmbedSession"},
    "caller": {"get": "getMe", "status": "getStatus"},
}

EDGE: Final[dict[str, str]] = {
    "report_conversion": "reportConversion",
    "prepare_email": "prepareEmail",
    "stitch_audio": "stitchAudio",
    "verify_click": "verifyClick",
}
"""One that the description does not have yet is left out, and appears with its operation."""

EXTRA_MODELS: Final = (
    "ServedAd",
    "SlotAnswer",
    "TrackRequest",
    "TrackResult",
    "Event",
    "ErrorBody",
    "NoFillReason",
    "ServeScenario",
    "Surface",
)
"""Models that the hand-written parts of the libraries use."""

REPEATABLE: Final = frozenset(
    {"prepareEmail", "stitchAudio", "verifyClick", "forecastCampaign", "explainDecision"}
)
"""Operations without `Idempotency-Key` that change nothing when they are executed again."""
