"""An open_clip tower behind one method: vectors, their code, and models that cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from edge_clm.errors import ConfigInvalid, ModelDamaged, ModelMissing
from edge_clm.page.clip import CONFIG, INK, LEAST, WEIGHTS, Clip
from edge_clm.page.ink import RECIPE
from edge_clm.train.clip.tower import make, save, set_least
from tests.train.capture.sheets import printed


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of models with an untrained docclip, under a name that no shipped model has."""
    place = tmp_path_factory.mktemp("models")
    save(make(1), place).rename(place / "blank")
    return place


@pytest.fixture(scope="module")
def clip(models: Path) -> Clip:
    return Clip.load(models, "blank")


def copied(models: Path, to: Path, **changed: object) -> Path:
    """A copy of the model with some of its configuration changed."""
    place = to / "copy"
    place.mkdir()
    said = json.loads((models / "blank" / CONFIG).read_text())
    said["model_cfg"] |= changed.pop("model_cfg", {})  # type: ignore[operator]
    (place / CONFIG).write_text(json.dumps(said | changed))
    (place / WEIGHTS).symlink_to(models / "blank" / WEIGHTS)
    return place


@pytest.mark.parametrize("size", [(620, 877), (877, 300), (9, 9)])
def test_a_picture_of_any_size_has_a_vector(clip: Clip, size: tuple[int, int]) -> None:
    """It is float32, (512,), of length 1, and the same when asked for again."""
    pixels = printed(size)
    vector = clip.embed(pixels)
    assert vector.dtype == np.float32
    assert vector.shape == (512,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(vector, clip.embed(pixels))


def test_docclip_sees_print_and_not_light(clip: Clip) -> None:
    """Half the light changes the vector less than another page does."""
    page, other = printed(seed=1), printed(seed=2)
    here, dark = clip.embed(page), clip.embed((page * 0.5).astype(np.uint8))
    assert np.linalg.norm(here - dark) < 0.1 * np.linalg.norm(here - clip.embed(other))


def test_a_model_that_sees_pictures_is_given_pictures(models: Path, tmp_path: Path) -> None:
    """Without the ink's key the picture goes to open_clip as it is: other vectors, another fingerprint."""
    place = copied(models, tmp_path)
    said = json.loads((place / CONFIG).read_text())
    assert said.pop(INK) == RECIPE
    (place / CONFIG).write_text(json.dumps(said))
    plain, ink = Clip.load(models, str(place)), Clip.load(models, "blank")
    assert plain.fingerprint != ink.fingerprint
    page = printed()
    lit = (page * 0.5).astype(np.uint8)
    apart = [np.linalg.norm(one.embed(page) - one.embed(lit)) for one in (plain, ink)]
    assert apart[0] > 10 * apart[1]


def test_the_fingerprint_is_of_weights_and_preprocessing(models: Path, tmp_path: Path) -> None:
    """Other weights or another preprocessing give another one, the same files the same."""
    before = Clip.load(models, "blank").fingerprint
    assert Clip.load(models, "blank").fingerprint == before
    place = copied(models, tmp_path, preprocess_cfg={"mean": [0.5] * 3, "resize_mode": "squash"})
    assert Clip.load(models, str(place)).fingerprint != before
    tensors = load_file(models / "blank" / WEIGHTS)
    tensors["visual.conv1.weight"] += 1
    place = save(make(1), tmp_path)
    save_file(tensors, place / WEIGHTS)
    assert Clip.load(models, str(place)).fingerprint != before


def test_what_is_not_there_is_missing(models: Path, tmp_path: Path) -> None:
    """A name without a directory and a directory without weights are said, and nothing is fetched."""
    with pytest.raises(ModelMissing, match="ViT-B-32"):
        Clip.load(models, "ViT-B-32")
    place = copied(models, tmp_path)
    (place / WEIGHTS).unlink()
    with pytest.raises(ModelMissing, match=WEIGHTS):
        Clip.load(models, str(place))


def test_weights_that_do_not_fit_are_damage(models: Path, tmp_path: Path) -> None:
    """Weights of another shape, half a file and a configuration that is none are told apart from absence."""
    place = copied(models, tmp_path, model_cfg={"vision_cfg": {"image_size": 64, "width": 16}})
    with pytest.raises(ModelDamaged, match="cannot load"):
        Clip.load(models, str(place))
    (place / WEIGHTS).unlink()
    (place / WEIGHTS).write_bytes((models / "blank" / WEIGHTS).read_bytes()[:1000])
    with pytest.raises(ModelDamaged, match="cannot load"):
        Clip.load(models, str(place))
    (place / CONFIG).write_text("{}")
    with pytest.raises(ModelDamaged, match="configuration"):
        Clip.load(models, str(place))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"model_cfg": {"embed_dim": 768}}, "768"),
        ({"model_cfg": {"text_cfg": {"hf_model_name": "roberta-base"}}}, "fetch"),
        ({INK: RECIPE + 1}, "ink"),
    ],
)
def test_a_model_that_cannot_be_used_is_refused(
    models: Path, tmp_path: Path, changed: dict[str, object], said: str
) -> None:
    """Vectors of another size, a text tower from a hub and an ink made otherwise are refused."""
    with pytest.raises(ConfigInvalid, match=said):
        Clip.load(models, str(copied(models, tmp_path, **changed)))


def test_a_model_says_how_alike_two_captures_of_a_page_are_at_least(
    models: Path, tmp_path: Path
) -> None:
    """What was measured is read; where nothing was, no two captures are told apart by it."""
    place = copied(models, tmp_path)
    assert Clip.load(tmp_path, "copy").least == -1
    set_least(place, 0.25)
    assert Clip.load(tmp_path, "copy").least == 0.25
    (place / CONFIG).write_text(json.dumps(json.loads((place / CONFIG).read_text()) | {LEAST: "x"}))
    with pytest.raises(ModelDamaged):
        Clip.load(tmp_path, "copy")
