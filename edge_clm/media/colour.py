"""Any picture that Pillow holds, flattened to RGB in sRGB."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageCms

from edge_clm.media.tone import WIDE_MODES, Samples, to_eight_bits

_SPACES = {"L": "GRAY", "RGB": "RGB", "CMYK": "CMYK"}
_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)
_MIDDLE = 128
_MAX_DARK_SHARE = 0.25
_MIN_EDGE_SHARE = 0.02


def flatten(image: Image.Image, samples: Samples) -> Image.Image:
    """Brings a loaded picture of any mode to RGB.

    Wide values are scaled, an embedded colour profile is applied, and what is clear is laid over
    white, or over black where the visible ink is light.
    """
    if image.mode in WIDE_MODES:
        image = to_eight_bits(image, samples)
    if image.mode == "CMYK" and image.format == "JPEG" and "adobe" not in image.info:
        image = _uninverted(image)
    solid, alpha = _split(image)
    rgb = _to_srgb(solid, image.info.get("icc_profile"))
    return rgb if alpha is None else _over_backdrop(rgb, alpha)


def _uninverted(image: Image.Image) -> Image.Image:
    """Pillow takes every CMYK JPEG for one of Adobe's, which are stored inverted."""
    turned = ImageChops.invert(image)
    turned.info = image.info
    return turned


def _split(image: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """The colours of a picture, and its alpha where any of it is clear."""
    if not image.has_transparency_data:
        return image, None
    if image.mode == "La":
        image = image.convert("LA")  # the only way from there that Pillow knows
    whole = image.convert("RGBA")
    alpha = whole.getchannel("A")
    solid = image.getchannel("L") if image.mode == "LA" else whole.convert("RGB")
    return solid, None if alpha.getextrema() == (255, 255) else alpha


def _to_srgb(image: Image.Image, profile: bytes | None) -> Image.Image:
    if image.mode not in _SPACES:
        image = image.convert("RGB")
    if profile:
        image = _apply_profile(image, profile)
    return image if image.mode == "RGB" else image.convert("RGB")


def _apply_profile(image: Image.Image, profile: bytes) -> Image.Image:
    """A profile that is damaged or of another colour space is no reason to refuse the picture."""
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if source.profile.xcolor_space.strip() != _SPACES[image.mode] or _is_srgb(source):
            return image
        target = ImageCms.createProfile("sRGB")
        transform = ImageCms.buildTransform(source, target, image.mode, "RGB")
        return transform.apply(image)
    except (ImageCms.PyCMSError, OSError, ValueError):
        return image


def _is_srgb(profile: ImageCms.ImageCmsProfile) -> bool:
    """sRGB is left alone, so that a picture is the same with the profile and without it."""
    return "srgb" in (profile.profile.profile_description or "").lower()


def _over_backdrop(rgb: Image.Image, alpha: Image.Image) -> Image.Image:
    backdrop = _BLACK if _is_light_ink(np.asarray(rgb.convert("L")), np.asarray(alpha)) else _WHITE
    page = Image.new("RGB", rgb.size, backdrop)
    page.paste(rgb, mask=alpha)
    return page


def _is_light_ink(grey: NDArray[np.uint8], alpha: NDArray[np.uint8]) -> bool:
    """Whether what is visible are light strokes, which white paper would swallow.

    Three signs together: the ink is light where it meets clear ground; little of it is dark, so it
    is not dark text with a pale fringe; and much of it lies at its edge, so it is not a white sheet
    cut out of its surroundings.
    """
    ink = alpha >= max(1, (int(alpha.max()) + 1) // 2)
    edge = ink & _beside(~ink)
    edges, inked = np.count_nonzero(edge), np.count_nonzero(ink)
    if edges == 0 or edges < _MIN_EDGE_SHARE * inked:
        return False
    dark = grey < _MIDDLE
    return bool(
        2 * np.count_nonzero(edge & dark) < edges
        and np.count_nonzero(ink & dark) < _MAX_DARK_SHARE * inked
    )


def _beside(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Pixels above, below, left or right of one in the mask."""
    near = np.zeros_like(mask)
    near[1:] |= mask[:-1]
    near[:-1] |= mask[1:]
    near[:, 1:] |= mask[:, :-1]
    near[:, :-1] |= mask[:, 1:]
    return near
