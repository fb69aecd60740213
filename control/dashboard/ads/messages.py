"""Labels of the enumerations of ads and assets; each is also in the catalogues."""

from collections.abc import Mapping

FORMATS: Mapping[str, str] = {
    "banner": "Banner",
    "html": "HTML",
    "native": "Native",
    "audio": "Audio",
    "video": "Video",
    "email": "E-mail",
}
FORMAT_HINTS: Mapping[str, str] = {
    "banner": "One picture, in a fixed size.",
    "html": "Your own markup, in a sandboxed frame.",
    "native": "Title, text and pictures, in the look of the page.",
    "audio": "A sound, with a picture beside it if you like.",
    "video": "A film, which may be skipped from when you say.",
    "email": "A picture for newsletters, and the words for mails without pictures.",
}
AD_STATUSES: Mapping[str, tuple[str, str]] = {
    "draft": ("Draft", "quiet"),
    "pending_review": ("Waits for review", "warn"),
    "active": ("Active", "good"),
    "rejected": ("Rejected", "bad"),
    "paused": ("Paused", "warn"),
    "archived": ("Archived", "quiet"),
}
"""Text and tone of the chip."""
ASSET_STATUSES: Mapping[str, tuple[str, str, str]] = {
    "uploading": ("Waits for the file", "quiet", "It was announced; the file has not come yet."),
    "processing": ("Being looked into", "warn", "This takes a few seconds for sound and film."),
    "ready": ("Ready", "good", "Ads can be made of it."),
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
