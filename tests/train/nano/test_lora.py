"""Low-rank changes: what is learnt is what is merged."""

from __future__ import annotations

import copy

import torch
from torch import nn

from edge_clm.model.adapter import adapted
from edge_clm.train.nano.lora import LoraLinear, adapter_of, attach


class Branch(nn.Module):
    """Two linear layers where a model has its text branch."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(6, 5)
        self.second = nn.Linear(5, 4, bias=False)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """(…, 6) to (…, 4)."""
        return torch.as_tensor(self.second(torch.relu(self.first(hidden))))


class Model(nn.Module):
    """What `attach` expects of a model."""

    def __init__(self) -> None:
        super().__init__()
        self.model = nn.Module()
        self.model.language_model = Branch()


def learnt() -> tuple[Model, Model, dict[str, LoraLinear]]:
    """A model, the same with changes that were drawn, and those."""
    torch.manual_seed(3)
    plain = Model()
    changed = copy.deepcopy(plain)
    layers = attach(changed, 2, 1)
    for layer in layers.values():
        # Halves, so that keeping them as such loses nothing.
        layer.down.data = torch.randn_like(layer.down).half().float()
        layer.up.data = torch.randn_like(layer.up).half().float()
    return plain, changed, layers


def test_a_fresh_change_changes_nothing() -> None:
    """Before it has learnt anything, a wrapped model answers as it did."""
    plain = Model()
    wrapped = copy.deepcopy(plain)
    attach(wrapped, 2, 1)
    given = torch.randn(3, 6)
    assert torch.equal(wrapped.model.language_model(given), plain.model.language_model(given))


def test_merged_weights_answer_as_the_wrapped_model_does() -> None:
    """What is saved and merged gives what the changes gave beside the frozen weights."""
    plain, changed, layers = learnt()
    plain.load_state_dict(adapted(plain.state_dict(), adapter_of(layers)))
    given = torch.randn(20, 6)
    merged, wrapped = plain.model.language_model(given), changed.model.language_model(given)
    assert torch.allclose(merged, wrapped, atol=1e-4)


def test_only_changes_are_learnt() -> None:
    """No weight of the model itself asks for a gradient."""
    _, changed, layers = learnt()
    free = {name for name, one in changed.named_parameters() if one.requires_grad}
    assert len(free) == 2 * len(layers)
    assert all(name.endswith((".down", ".up")) for name in free)
