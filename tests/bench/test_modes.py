"""The bench of the ways of serving."""

from __future__ import annotations

import pytest

from bench.modes import Arm, figures_of


def test_every_way_is_held_against_the_cold_answer_of_its_kind() -> None:
    """Questions against the cold question, descriptions against the cold description, of the same documents."""
    arms = [
        Arm("asked", "cold", 1000, 4000),
        Arm("same", "verified", 100, 400),
        Arm("same", "replay", 1, 1),
        Arm("paraphrased", "verified", 200, 800),
        Arm("told", "cold", 1000, 10_000),
        Arm("describe", "verified", 100, 1000),
        Arm("describe", "replay", None, 2),
    ]
    figures = figures_of(
        [arms, arms, [Arm("asked", "cold", 9, 9), Arm("paraphrased", "cold", 9, 9)]]
    )
    assert figures.pop("e2e.cold.paraphrased_over_cold.p50").value == 1
    assert figures.pop("ttft.cold.paraphrased_over_cold.p50").value == 1
    told = {key: one.value for key, one in figures.items() if key.endswith("p50")}
    assert told == pytest.approx(
        {
            "ttft.verified.same_over_cold.p50": 0.1,
            "e2e.verified.same_over_cold.p50": 0.1,
            "ttft.replay.same_over_cold.p50": 0.001,
            "e2e.replay.same_over_cold.p50": 0.00025,
            "ttft.verified.paraphrased_over_cold.p50": 0.2,
            "e2e.verified.paraphrased_over_cold.p50": 0.2,
            "ttft_server.describe_verified_over_cold.p50": 0.1,
            "e2e.describe_verified_over_cold.p50": 0.1,
            "e2e.describe_replay_over_cold.p50": 0.0002,
        }
    )
    assert not any(key.startswith("served.same") for key in figures)
    assert figures["served.paraphrased.verified"].value == pytest.approx(2 / 3)
    assert figures["served.paraphrased.cold"].value == pytest.approx(1 / 3)
