"""Small copies of an image or of a video's picture, which pages show without a request of their own."""

import base64
import io
from typing import Final

from PIL import Image, ImageStat

THUMBNAIL: Final = (96, 72)
"""Pixels; lists show it at half of this, for screens with two pixels in one."""
POSTER: Final = (400, 400)
_QUALITY: Final = 50
_MIN_VARIANCE: Final = 25.0
"""Of the brightness, from 0 to 255; a black or white picture between scenes has less."""


def small_picture(image: Image.Image, size: tuple[int, int]) -> str:
    """A WebP in Base64 that fits into *size*, without changing its shape. *image* stays as it is."""
    small = image.convert("RGBA" if image.has_transparency_data else "RGB")
    small.thumbnail(size)
    target = io.BytesIO()
    small.save(target, format="WEBP", quality=_QUALITY)
    return base64.b64encode(target.getvalue()).decode()


def shows_something(image: Image.Image) -> bool:
    return bool(ImageStat.Stat(image.convert("L")).var[0] > _MIN_VARIANCE)
