"""
An ad as a mail shows it: a table with inline styles, and text for the plain part.

Every mail client shows what the layout needs (``tests/edge/email/test_mail_clients.py``). `ENHANCEMENTS` make it better
where they work: the image shrinks with a narrow window, the text that stands in for it is readable in dark mode, and
screen readers do not announce a table. Nothing changes the image's colours.
"""

from html import escape
from typing import Final

MARK: Final = "\x7f"
"""Begins a placeholder of an URL that differs in each mail. Content never contains it, and JSON does not escape it."""
CLICK: Final = f"{MARK}c"
IMAGE: Final = f"{MARK}i"
"""The image that is chosen when the mail is opened."""
PIXEL: Final = f"{MARK}p"
_DARK: Final = (
    "<style>@media (prefers-color-scheme:dark){.placard-ad a{color:#8ab4f8!important}}</style>"
)
_CLASS: Final = ' class="placard-ad"'
_ROLE: Final = ' role="presentation"'
_NARROW: Final = "max-width:100%;"
_SHAPE: Final = "height:auto;"
ENHANCEMENTS: Final = (_DARK, _CLASS, _ROLE, _NARROW, _SHAPE)
"""A mail client without one of these shows the image in the size of its attributes."""
_IMAGE_STYLE: Final = "display:block;border:0;font-family:Arial,sans-serif;font-size:16px;"
_LINK_STYLE: Final = "color:#1a56a0;text-decoration:none;"


def email_html(
    image_url: str,
    alt: str,
    width: int,
    height: int,
    trackers: tuple[str, ...],
    *,
    is_linked: bool = True,
    has_pixel: bool = True,
) -> str:
    """*image_url*: `IMAGE`, or an address. *has_pixel*: False where the image itself is counted."""
    image = (
        f'<img src="{escape(image_url)}" alt="{escape(alt)}" width="{width}" height="{height}" border="0" '
        f'style="{_IMAGE_STYLE}{_NARROW}{_SHAPE}">'
    )
    if is_linked:
        image = f'<a href="{CLICK}" style="{_LINK_STYLE}">{image}</a>'
    pixels = "".join(_pixel(url) for url in ((PIXEL,) if has_pixel else ()) + trackers)
    return (
        f'{_DARK}<table{_CLASS}{_ROLE} align="center" width="{width}" cellpadding="0" cellspacing="0" border="0" '
        f'style="border:0;{_NARROW}"><tr><td align="center" style="padding:0;">{image}{pixels}</td></tr></table>'
    )


def email_text(text: str, *, is_linked: bool) -> str:
    return f"{text}\n{CLICK}" if is_linked else text


def clean(text: str) -> str:
    """*text* without the characters that placeholders are made of."""
    return text.replace(MARK, "").replace("\x00", "")


def _pixel(url: str) -> str:
    return f'<img src="{escape(url)}" alt="" width="1" height="1" border="0" style="display:block;border:0;">'
