"""Images: decoded, rotated by their metadata, converted to sRGB and re-encoded, so that only pixels are kept."""

import io
from typing import Any, BinaryIO

from PIL import Image, ImageCms, ImageOps, ImageSequence

from common.values.messages import Message
from control.demand.media_inspection.files import FileRefused
from control.demand.media_inspection.small_pictures import THUMBNAIL, small_picture

MAX_PIXELS = 50_000_000
"""Also the limit of all frames together."""
MAX_EDGE = 16_384
MAX_FRAMES = 500

_EXTENSIONS = {"PNG": "png", "JPEG": "jpg", "GIF": "gif", "WEBP": "webp", "AVIF": "avif"}
_LOSSY: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": 90},
    "WEBP": {"quality": 90},
    "AVIF": {"quality": 80, "speed": 8},
}
_MODES = {
    "PNG": {"1", "L", "LA", "P", "RGB", "RGBA", "I;16"},
    "JPEG": {"L", "RGB"},
    "GIF": {"L", "P", "RGB", "RGBA"},
    "WEBP": {"RGB", "RGBA"},
    "AVIF": {"RGB", "RGBA"},
}


def inspect_image(source: BinaryIO, target: BinaryIO, container: str) -> dict[str, Any]:
    """Write the clean image to *target*. Returns width, height and extension. Raises `FileRefused`."""
    form = container.upper()
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    try:
        image = Image.open(source, formats=[form])
    except Image.DecompressionBombError:
        raise _too_many_pixels() from None
    _check_size(image)
    frames = getattr(image, "n_frames", 1) if form != "JPEG" else 1
    save = _save_animation if frames > 1 else _save_still
    clean = save(image, target, form)
    return {
        "width": clean.width,
        "height": clean.height,
        "extension": _EXTENSIONS[form],
        "thumbnail": small_picture(clean, THUMBNAIL),
    }


def _check_size(image: Image.Image) -> None:
    if image.width * image.height > MAX_PIXELS:
        raise _too_many_pixels()
    if max(image.size) > MAX_EDGE:
        raise FileRefused(
            Message(
                "One side of the image has more than {max_pixels} pixels. Send a smaller one.",
                max_pixels=MAX_EDGE,
            )
        )


def _too_many_pixels() -> FileRefused:
    return FileRefused(
        Message(
            "The image has more than {max_megapixels} million pixels. Send a smaller one.",
            max_megapixels=MAX_PIXELS // 1000000,
        )
    )


def _save_still(image: Image.Image, target: BinaryIO, form: str) -> Image.Image:
    image.load()
    ImageOps.exif_transpose(image, in_place=True)
    clean = _in_srgb(image, form)
    transparency = clean.info.get("transparency")
    clean.info = {} if transparency is None else {"transparency": transparency}
    options = _LOSSY.get(form, {})
    if form == "JPEG" and clean is image:
        options = {"quality": "keep"}  # its own quantisation tables: no second loss of quality
    clean.save(target, format=form, **options)
    return clean


def _save_animation(image: Image.Image, target: BinaryIO, form: str) -> Image.Image:
    count = getattr(image, "n_frames", 1)
    if count > MAX_FRAMES:
        raise FileRefused(
            Message(
                "The image has more than {max_frames} frames. Send a shorter one.",
                max_frames=MAX_FRAMES,
            )
        )
    if image.width * image.height * count > MAX_PIXELS:
        raise _too_many_pixels()
    loop = image.info.get("loop")
    frames, durations = [], []
    for frame in ImageSequence.Iterator(image):
        durations.append(int(frame.info.get("duration", 100)))
        still = _in_srgb(frame, form).convert("RGBA")
        still.info = {}
        frames.append(still)
    options: dict[str, Any] = {**_LOSSY.get(form, {}), "duration": durations}
    if loop is not None:
        options["loop"] = loop
    if form == "GIF":
        options["disposal"] = 2  # each frame is complete, so the one before must not show through
    frames[0].save(target, format=form, save_all=True, append_images=frames[1:], **options)
    return frames[0]


def _in_srgb(image: Image.Image, form: str) -> Image.Image:
    """Returns *image* itself if it needs no conversion."""
    profile = image.info.get("icc_profile")
    if profile and image.mode in {"RGB", "RGBA", "L", "CMYK"}:
        converted = _convert_colours(image, profile)
        if converted is not None:
            image = converted
    if image.mode in _MODES[form]:
        return image
    has_alpha = image.mode in {"LA", "PA", "RGBA", "RGBa"} or "transparency" in image.info
    return image.convert("RGBA" if has_alpha and form != "JPEG" else "RGB")


def _convert_colours(image: Image.Image, profile: bytes) -> Image.Image | None:
    """None if the colours are sRGB already, or if the profile is invalid: it is then only dropped."""
    try:
        own = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if "srgb" in ImageCms.getProfileDescription(own).lower():
            return None
        mode = "RGBA" if image.mode == "RGBA" else "RGB"
        standard = ImageCms.createProfile("sRGB")
        return ImageCms.profileToProfile(image, own, standard, outputMode=mode)
    except (ImageCms.PyCMSError, OSError, ValueError):
        return None
