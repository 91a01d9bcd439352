"""The type faces of generated pages, from packages of fonts under free licences.

Families are told apart by split: a face on a training page is never on a test page.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from PIL import ImageFont

from edge_clm.errors import ConfigInvalid
from edge_clm.train.pages.page import Split

Sort = Literal["sans", "serif", "mono", "display", "hand", "han"]
Font = ImageFont.FreeTypeFont
_NO_SUCH = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Family:
    """A family of type faces."""

    name: str
    sort: Sort
    split: Split
    regular: str
    """`package/file`, or `package.module` where the package keeps its faces in modules."""
    bold: str
    """Empty where there is none."""


def _files(name: str, sort: Sort, split: Split, regular: str, bold: str = "") -> Family:
    return Family(name, sort, split, regular, bold or regular)


FAMILIES = (
    _files(
        *("Source Sans Pro", "sans", "train"),
        "font_source_sans_pro/files/SourceSansPro-Regular.otf",
        "font_source_sans_pro/files/SourceSansPro-Semibold.otf",
    ),
    _files(
        *("Roboto", "sans", "train"),
        "font_roboto/files/Roboto-Regular.ttf",
        "font_roboto/files/Roboto-Bold.ttf",
    ),
    _files(
        *("Lato", "sans", "train"),
        "font_lato/files/Lato-Regular.ttf",
        "font_lato/files/Lato-Bold.ttf",
    ),
    _files(
        *("Hanken Grotesk", "sans", "train"),
        "font_hanken_grotesk/files/HankenGrotesk-Regular.otf",
        "font_hanken_grotesk/files/HankenGrotesk-Bold.otf",
    ),
    _files(
        *("FiraGO", "sans", "train"),
        "pymupdf_fonts.FiraGO_Regular",
        "pymupdf_fonts.FiraGO_Bold",
    ),
    _files(
        *("Noto Sans", "sans", "train"),
        "pymupdf_fonts.NotoSans_Regular",
        "pymupdf_fonts.NotoSans_Bold",
    ),
    _files(
        *("Source Serif Pro", "serif", "train"),
        "font_source_serif_pro/files/SourceSerifPro-Regular.otf",
        "font_source_serif_pro/files/SourceSerifPro-Bold.otf",
    ),
    _files(
        *("Fira Mono", "mono", "train"),
        "pymupdf_fonts.FiraMono_Regular",
        "pymupdf_fonts.FiraMono_Bold",
    ),
    _files(
        *("Space Mono", "mono", "train"),
        "pymupdf_fonts.SpaceMono_Regular",
        "pymupdf_fonts.SpaceMono_Bold",
    ),
    _files(
        *("Cascadia Mono", "mono", "train"),
        "pymupdf_fonts.CascadiaMono_Regular",
        "pymupdf_fonts.CascadiaMono_Bold",
    ),
    _files("Fredoka One", "display", "train", "font_fredoka_one/files/FredokaOne-Regular.ttf"),
    _files("Intuitive", "hand", "train", "font_intuitive/files/Intuitive.ttf"),
    _files("Noto Sans SC", "han", "train", "pylopdf_fonts_zh_cn/NotoSansSC-Regular.otf"),
    _files(
        *("Manrope", "sans", "test"),
        "font_manrope/files/Manrope-Regular.ttf",
        "font_manrope/files/Manrope-Bold.ttf",
    ),
    _files(
        *("Red Hat Display", "sans", "test"),
        "font_rhd/files/RedHatDisplay-Regular.ttf",
        "font_rhd/files/RedHatDisplay-Bold.ttf",
    ),
    _files(
        *("Ubuntu", "sans", "test"),
        "pymupdf_fonts.Ubuntu_Regular",
        "pymupdf_fonts.Ubuntu_Bold",
    ),
    _files(
        *("Caladea", "serif", "test"),
        "font_caladea/files/Caladea-Regular.ttf",
        "font_caladea/files/Caladea-Bold.ttf",
    ),
    _files(
        *("Ubuntu Mono", "mono", "test"),
        "pymupdf_fonts.UbuntuMono_Regular",
        "pymupdf_fonts.UbuntuMono_Bold",
    ),
    _files("Fjalla One", "display", "test", "font_fjallaone/files/FjallaOne-Regular.ttf"),
    _files("Amatic SC", "hand", "test", "font_amatic_sc/files/AmaticSC-Bold.ttf"),
    _files("Noto Serif SC", "han", "test", "pylopdf_fonts_zh_cn/NotoSerifSC-Regular.otf"),
)
_FALLBACK: dict[Split, tuple[str, ...]] = {
    "train": ("Source Sans Pro", "Noto Sans SC"),
    "test": ("Manrope", "Noto Serif SC"),
}


def families(split: Split, *sorts: Sort) -> list[Family]:
    """The families of a split that are of one of the sorts."""
    return [family for family in FAMILIES if family.split == split and family.sort in sorts]


def covering(family: Family, text: str) -> Family:
    """The family itself where it has a glyph for every character, else one of its split that has.

    Raises ConfigInvalid where none has.
    """
    if _has_all(family, text):
        return family
    for name in _FALLBACK[family.split]:
        other = next(one for one in FAMILIES if one.name == name)
        if _has_all(other, text):
            return other
    raise ConfigInvalid(f"no type face of the split {family.split} has every character of a word")


@cache
def face(family: Family, bold: bool, size: int) -> Font:
    """The face at a size in pixels, laid out glyph by glyph so that boxes add up.

    Raises ConfigInvalid where the package of fonts is not installed.
    """
    source = io.BytesIO(_content(family.bold if bold else family.regular))
    return ImageFont.truetype(source, size, layout_engine=ImageFont.Layout.BASIC)


def _has_all(family: Family, text: str) -> bool:
    return all(char.isspace() or _has(family, char) for char in set(text))


@cache
def _has(family: Family, char: str) -> bool:
    probe = face(family, False, 24)
    return bytes(probe.getmask(char)) != bytes(probe.getmask(_NO_SUCH))


@cache
def _content(source: str) -> bytes:
    package, _, file = source.partition("/")
    try:
        if not file:
            buffer: bytes = importlib.import_module(package).fontbuffer
            return buffer
        found = importlib.util.find_spec(package)
    except ImportError as error:
        raise _missing(package) from error
    if found is None or found.origin is None:
        raise _missing(package)
    return (Path(found.origin).parent / file).read_bytes()


def _missing(package: str) -> ConfigInvalid:
    return ConfigInvalid(
        f"the package of fonts {package} is not installed: install edge-clm[train]"
    )
