"""Adapters: merged into weights, exactly and in one way only."""

from __future__ import annotations

import pytest
import torch

from edge_clm.model.adapter import DOWN, UP, adapted

WEIGHTS = {"layer.weight": torch.arange(12.0).reshape(3, 4), "layer.bias": torch.zeros(3)}


def factors(seed: int, rank: int = 2) -> dict[str, torch.Tensor]:
    made = torch.Generator().manual_seed(seed)
    down, up = torch.randn(rank, 4, generator=made), torch.randn(3, rank, generator=made)
    return {f"layer{DOWN}": down.half(), f"layer{UP}": up.half()}


def test_factors_are_multiplied_and_added() -> None:
    """A low-rank change is added to the weight it is for; everything else stays as it is."""
    adapter = factors(1)
    merged = adapted(WEIGHTS, adapter)
    change = adapter[f"layer{UP}"].double() @ adapter[f"layer{DOWN}"].double()
    assert torch.equal(merged["layer.weight"], WEIGHTS["layer.weight"] + change.float())
    assert merged["layer.bias"] is WEIGHTS["layer.bias"]


def test_a_whole_tensor_takes_the_place_of_another() -> None:
    """A tensor that is no factor replaces the weight of its name."""
    merged = adapted(WEIGHTS, {"layer.bias": torch.ones(3).half()})
    assert torch.equal(merged["layer.bias"], torch.ones(3))


def test_the_order_of_the_sum_does_not_show() -> None:
    """Summed in another order, the change has the same bits: so every machine builds the same model."""
    for seed in range(20):
        adapter = factors(seed, rank=64)
        turned = {name: one.flip(0 if name.endswith(DOWN) else 1) for name, one in adapter.items()}
        one, other = adapted(WEIGHTS, adapter), adapted(WEIGHTS, turned)
        assert torch.equal(one["layer.weight"], other["layer.weight"])


@pytest.mark.parametrize(
    "adapter",
    [
        {"other.bias": torch.ones(3).half()},
        {"layer.bias": torch.ones(4).half()},
        {f"other{DOWN}": torch.ones(2, 4).half(), f"other{UP}": torch.ones(3, 2).half()},
    ],
)
def test_what_fits_nothing_is_refused(adapter: dict[str, torch.Tensor]) -> None:
    """A tensor that the model has no place for is an error, not a silent loss."""
    with pytest.raises(ValueError, match="fits nothing"):
        adapted(WEIGHTS, adapter)
