"""The closed sets that both planes, the wire and the tables share."""

from enum import StrEnum


class Format(StrEnum):
    BANNER = "banner"
    HTML = "html"
    NATIVE = "native"
    AUDIO = "audio"
    VIDEO = "video"
    EMAIL = "email"


class PricingModel(StrEnum):
    CPM = "cpm"
    CPC = "cpc"
    CPA = "cpa"
    FLAT_RATE = "flat_rate"


class Priority(StrEnum):
    SPONSORSHIP = "sponsorship"
    STANDARD = "standard"
    AUCTION = "auction"
    HOUSE = "house"


class Objective(StrEnum):
    AWARENESS = "awareness"
    TRAFFIC = "traffic"
    ENGAGEMENT = "engagement"
    LEADS = "leads"
    CONVERSIONS = "conversions"
    APP_PROMOTION = "app_promotion"


class Pacing(StrEnum):
    EVEN = "even"
    ASAP = "asap"
    FRONT_LOADED = "front_loaded"


class CampaignStatus(StrEnum):
    DRAFT = "draft"
    PENDING_REVIEW = "pending_review"
    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    REJECTED = "rejected"
    ARCHIVED = "archived"


class AdStatus(StrEnum):
    DRAFT = "draft"
    PENDING_REVIEW = "pending_review"
    ACTIVE = "active"
    REJECTED = "rejected"
    PAUSED = "paused"
    ARCHIVED = "archived"


EDGE_FLAGS = ("several_slots",)
"""Flags of `GET /v1/features` that edges set: features that older edges do not support."""


class SlotStatus(StrEnum):
    ACTIVE = "active"
    ARCHIVED = "archived"


class PropertyKind(StrEnum):
    WEB = "web"
    APP = "app"
    EMAIL = "email"
    AUDIO = "audio"
    CTV = "ctv"


class PropertyStatus(StrEnum):
    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    SUSPENDED = "suspended"


class AssetKind(StrEnum):
    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"
    HTML = "html"


class AssetStatus(StrEnum):
    UPLOADING = "uploading"
    PROCESSING = "processing"
    READY = "ready"
    REJECTED = "rejected"
    ARCHIVED = "archived"


class AccountState(StrEnum):
    ACTIVE = "active"
    PAST_DUE = "past_due"
    SUSPENDED = "suspended"


class Source(StrEnum):
    """Source of an ad decision."""

    SPONSORSHIP = "sponsorship"
    DIRECT = "direct"
    AUCTION = "auction"
    HOUSE = "house"
    PREVIEW = "preview"


class Surface(StrEnum):
    WEB = "web"
    IOS = "ios"
    ANDROID = "android"
    FLUTTER = "flutter"
    SERVER = "server"
    EMAIL = "email"
    AUDIO = "audio"
    AMP = "amp"
    CTV = "ctv"


class DeviceType(StrEnum):
    DESKTOP = "desktop"
    MOBILE = "mobile"
    TABLET = "tablet"
    TV = "tv"
    OTHER = "other"


class OperatingSystem(StrEnum):
    WINDOWS = "windows"
    MACOS = "macos"
    LINUX = "linux"
    IOS = "ios"
    ANDROID = "android"
    CHROMEOS = "chromeos"
    OTHER = "other"


class Browser(StrEnum):
    CHROME = "chrome"
    SAFARI = "safari"
    FIREFOX = "firefox"
    EDGE = "edge"
    OPERA = "opera"
    SAMSUNG = "samsung"
    OTHER = "other"


class EventKind(StrEnum):
    IMPRESSION = "impression"
    CLICK = "click"
    CONVERSION = "conversion"


class Attribution(StrEnum):
    """How a conversion was tied to its ad."""

    CLICK_THROUGH = "click_through"
    VIEW_THROUGH = "view_through"
    IN_SESSION = "in_session"
    """Reported by a page with the ad's own track token."""


class ConversionChannel(StrEnum):
    """The source of a conversion that came without a track token."""

    SECRET_KEY = "secret_key"
    PIXEL = "pixel"
    PIXEL_UNSIGNED = "pixel_unsigned"
    """Reported with a click id that has no tag and may therefore be forged: reported, never billed."""


PIXEL_CHANNELS = frozenset({ConversionChannel.PIXEL, ConversionChannel.PIXEL_UNSIGNED})


class QualitySignal(StrEnum):
    """Other values of `event` on track: counted, but not part of the events list."""

    VIEWABLE = "viewable"
    START = "start"
    FIRST_QUARTILE = "first_quartile"
    MIDPOINT = "midpoint"
    THIRD_QUARTILE = "third_quartile"
    COMPLETE = "complete"
    SKIP = "skip"
    ERROR = "error"


class Reason(StrEnum):
    """Why an event is valid (`ok…`) or invalid."""

    OK = "ok"
    OK_TEST = "ok_test"
    OK_OVER_BUDGET = "ok_over_budget"
    OK_CONSENT_LIMITED = "ok_consent_limited"
    OK_LATE = "ok_late"
    BOT_USER_AGENT = "bot_user_agent"
    UNKNOWN_USER_AGENT = "unknown_user_agent"
    MISSING_USER_AGENT = "missing_user_agent"
    DATACENTER_IP = "datacenter_ip"
    PREFETCH = "prefetch"
    INTERNAL_TRAFFIC = "internal_traffic"
    RATE_EXCEEDED = "rate_exceeded"
    DUPLICATE_CLICK = "duplicate_click"
    DUPLICATE_IMPRESSION = "duplicate_impression"
    CLICK_TOO_FAST = "click_too_fast"
    ORIGIN_MISMATCH = "origin_mismatch"
    CONSENT_DENIED = "consent_denied"
    CAMPAIGN_ENDED = "campaign_ended"
    CLOCK_SKEW = "clock_skew"
    MAIL_PRIVACY_PROXY = "mail_privacy_proxy"
    MAIL_LINK_SCANNER = "mail_link_scanner"
    RETRACTED = "retracted"

    @property
    def valid(self) -> bool:
        return self.startswith("ok")
