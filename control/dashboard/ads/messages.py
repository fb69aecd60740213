"""Labels of the enumerations of ads and assets; each is also in the catalogues."""

from collections.abc import Mapping

FORMATS: Mapping[str, str] = {
    "banner": "Banner",
    "html": "HTML",
    "native": "Native",
    "audio": "Audio",
    "video": "Video",
    "email": "Email",
}
FORMAT_HINTS: Mapping[str, str] = {
    "banner": "One image in a fixed size.",
    "html": "Your own HTML in a sandboxed frame.",
    "native": "Title, text and images, in the style of the page.",
    "audio": "Audio with an optional companion image.",
    "video": "Video, optionally skippable.",
    "email": "An image for newsletters, with a text alternative.",
}
AD_STATUSES: Mapping[str, tuple[str, str]] = {
    "draft": ("Draft", "quiet"),
    "pending_review": ("Waiting for review", "warn"),
    "active": ("Active", "good"),
    "rejected": ("Rejected", "bad"),
    "paused": ("Paused", "warn"),
    "archived": ("Archived", "quiet"),
}
"""Text and tone of the chip."""
ASSET_STATUSES: Mapping[str, tuple[str, str, str]] = {
    "uploading": ("Waiting for the file", "quiet", "The upload has not finished yet."),
    "processing": ("Processing", "warn", "This takes a few seconds for audio and video."),
    "ready": ("Ready", "good", "Ads can use it."),
    "rejected": ("Rejected", "bad", "It cannot be used."),
    "archived": ("Archived", "quiet", "No ad can use it any more."),
}
"""Text, tone, and meaning."""
ASSET_KINDS: Mapping[str, str] = {
    "image": "Image",
    "video": "Video",
    "audio": "Audio",
    "html": "HTML",
}
