"""The parts of the soak: what it calls, how it accounts for calls, and how it tells what grows."""

from __future__ import annotations

import asyncio
import os
import random
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from bench.beside import Beside
from bench.hostile import hostile_calls
from bench.soak_actions import Actions, Ground
from bench.soak_client import SoakClient
from bench.soak_figures import trends
from bench.soak_ledger import End, Ledger
from bench.soak_methods import methods
from bench.soak_pages import NewPages, Sheet, edited
from bench.soak_rpc import Caller
from bench.soak_tokens import TENANT, TokensFile
from bench.soak_trend import trend
from bench.watch import HealthWatch, Held, Holding
from edge_clm.client import ClientError
from edge_clm.config import Limits
from edge_clm.media.decode import decode
from edge_clm.server.auth import Tokens
from tests.test_isolation import Street, running

ROOT = Path(__file__).parents[2]
INVOICE = ROOT / "examples" / "invoice.jpg"
DATA = Path(os.environ.get("EDGE_CLM_DATA") or ROOT.parent / "shared" / "data")
HOUR = 3600.0


def ground(sheets: Sequence[Sheet]) -> Ground:
    bad = hostile_calls(sheets[0].data, sheets[0].handle)
    return Ground(sheets, NewPages([INVOICE]), bad, Ledger(), threading.Event())


def upload(street: Street, token: str | None, ledger: Ledger) -> list[Sheet]:
    with Caller(street.address, ledger, token, 20) as client:
        files = [b"one page", b"three pages"]
        return [Sheet(data, client.put_capture(data).handle) for data in files]


async def soaked(street: Street, token: str | None) -> SoakClient:
    """A client that has done every thing once, over real sockets."""
    sheets = await asyncio.to_thread(upload, street, token, Ledger())
    client = SoakClient(Actions(street.address, token, ground(sheets), random.Random(0)))
    await asyncio.to_thread(client.once)
    return client


def test_every_call_of_the_contract_is_known() -> None:
    """The calls are read off the contract: ours, the operators' and health's."""
    found = {one.path.rpartition("/")[2]: one for one in methods()}
    assert {"Ask", "AskStream", "Describe", "Extract", "Feedback", "GetInfo", "PutCapture"} < set(
        found
    )
    assert {"Check", "Watch", "Stats", "Explain"} < set(found)
    assert [name for name, one in found.items() if one.takes_stream] == ["PutCapture"]
    assert [name for name, one in found.items() if one.for_operators] == ["Explain", "Stats"]


async def test_every_call_is_made(tmp_path: Path) -> None:
    """A client that does every thing once brings every call to its end, loses none and does none wrong.

    A call that is added to the contract fails this until the soak makes it too.
    """
    async with running(tmp_path) as street:
        client = await soaked(street, None)
    ledger = client.actions.ground.ledger
    assert ledger.forgotten() == []
    assert ledger.lost() == {}
    # The played engine takes any bytes for a picture, so that bad ones are not refused.
    assert [one for one in client.ended if not one.expected and one.action != "misbehave"] == []


async def test_a_device_is_refused_what_is_for_operators(tmp_path: Path) -> None:
    """With a device's token everything else goes as well, and being refused is what is expected."""
    async with running(tmp_path) as street:
        client = await soaked(street, street.tokens["clinic"])
    ledger = client.actions.ground.ledger
    assert ledger.forgotten() == [
        f"/edge_clm.v1.EdgeClmAdminService/{name}" for name in ("Explain", "Stats")
    ]
    assert [one for one in client.ended if not one.expected and one.action != "misbehave"] == []


async def test_gibberish_is_refused_everywhere(tmp_path: Path) -> None:
    """Bytes that are no message are refused by every call of ours, by a device's and an operator's door."""
    async with running(tmp_path) as street:
        for token in (None, street.tokens["clinic"]):
            sheets = [Sheet(b"one page", "c_1")]
            actions = Actions(street.address, token, ground(sheets), random.Random(0))

            def babble(actions: Actions = actions) -> list[str | None]:
                with actions.client() as client:
                    return [actions.babble(client) for _ in methods()]

            assert set(await asyncio.to_thread(babble)) == {None}


def test_what_was_never_called_is_told() -> None:
    """A ledger without a call names every call as forgotten."""
    assert Ledger().forgotten() == [one.path for one in methods()]


def test_a_call_that_nobody_answers_is_lost(tmp_path: Path) -> None:
    """Every try of a call to where nobody listens is counted as lost, and as begun."""
    ledger = Ledger()
    address = f"unix:{tmp_path / 'none'}"
    with (
        Caller(address, ledger, None, 5) as client,
        pytest.raises(ClientError, match="UNREACHABLE"),
    ):
        client.info()
    assert ledger.lost().total() == ledger.begun() == ledger.ended(End.LOST) > 0


async def test_how_calls_end(tmp_path: Path) -> None:
    """An answer, a refusal with its reason, a caller that leaves and one that is late are told apart."""
    async with running(tmp_path) as street:
        ledger = Ledger()

        def work() -> None:
            with Caller(street.address, ledger, timeout_s=20) as client:
                client.ask("Who?", image=b"one page")
                with pytest.raises(ClientError, match="HANDLE_UNKNOWN"):
                    client.ask("Who?", handle="c_none")
                street.engine.gate.clear()
                with pytest.raises(ClientError, match="DEADLINE_EXCEEDED"):
                    client.ask("When?", image=b"one page", timeout_s=0.3)
                events = client.ask_stream("Why?", image=b"one page")
                next(events)
                events.close()

        await asyncio.to_thread(work)
        ends = {end: ledger.ended(end) for end in End}
    assert ends == {
        End.ANSWERED: 1,
        End.REFUSED: 1,
        End.CANCELLED: 1,
        End.LATE: 1,
        End.LOST: 0,
    }
    assert ledger.begun() == 4
    assert not ledger.lost()


@pytest.mark.parametrize("kind", ["jpg", "pdf"])
def test_an_edited_copy_is_a_page_of_its_own(kind: str) -> None:
    """Copies of one document differ in their pixels from it and from each other, and can be read."""
    original = INVOICE
    if kind == "pdf":
        original = next(iter(sorted((DATA / "adbuy").glob("*.pdf"))), INVOICE)
        if original is INVOICE:
            pytest.skip(f"no PDF under {DATA / 'adbuy'}")
    files = [original.read_bytes(), *(edited(original, number) for number in (1, 2, 300))]
    pages = [decode(file, 1, Limits()) for file in files]
    assert len({page.sha256 for page in pages}) == len(pages)
    assert {page.media_type for page in pages} == {pages[0].media_type}


def test_new_pages_come_at_their_own_pace() -> None:
    """One is due at once and the next only after a while, however often somebody asks."""
    slow, fast = NewPages([INVOICE], every_s=1e6), NewPages([INVOICE], every_s=0.0)
    assert [page is not None for page in (slow.take(), slow.take())] == [True, False]
    taken = [fast.take() for _ in range(3)]
    assert len(set(taken)) == fast.made == 3


def test_tokens_come_and_go(tmp_path: Path) -> None:
    """A guest replaces the last one, an unusable file changes nothing, and one token lasts."""
    file = TokensFile(tmp_path / "tokens")
    tokens = Tokens(file.path)

    def known(token: str) -> bool:
        found = tokens.caller(token)
        return found is not None and found.tenant == TENANT

    first = file.admit()
    assert known(first)
    second = file.admit()
    assert [known(one) for one in (first, second, file.lasting)] == [False, True, True]
    file.spoil()
    assert [known(one) for one in (first, second, file.lasting)] == [False, True, True]


def series(of: Callable[[float], float], noise: float = 0.0) -> tuple[list[float], list[float]]:
    """An hour of samples, one every 5 s."""
    draw, times = np.random.default_rng(1), [5.0 * at for at in range(720)]
    return times, [of(at / HOUR) + noise * float(draw.standard_normal()) for at in times]


def test_a_slope_is_found_in_noise() -> None:
    """The slope of a noisy line is told within its bounds, and the bounds exclude no growth."""
    found = trend(*series(lambda hours: 2000 + 50 * hours, noise=30))
    assert found
    assert found.low < 50 < found.high
    assert found.low > 0
    assert found.median == pytest.approx(2025, abs=10)


def test_what_is_flat_has_no_slope() -> None:
    """A level has a slope of nothing, also where single samples stand out."""
    times, samples = series(lambda _: 30.0)
    samples[3::40] = [90.0] * len(samples[3::40])
    found = trend(times, samples)
    assert found
    assert (found.per_hour, found.low, found.high, found.growth) == (0, 0, 0, 0)


def test_too_few_samples_are_no_trend() -> None:
    """Where there is nothing to draw a line through there is none."""
    assert trend([], []) is None
    assert trend([0.0, 5.0, 10.0], [1.0, 2.0, 3.0]) is None


def samples(percent_per_hour: float, descriptors_more: int, minutes: int = 60) -> list[Held]:
    """What a daemon and its engine held: much more and more at first, then so much an hour."""
    found = []
    for at in range(0, minutes * 60, 5):
        filling = min(1.0, at / 600)
        engine = 2000 * (1 + filling) * (1 + percent_per_hour / 100 * at / HOUR)
        more = round(descriptors_more * at / HOUR)
        found.append(
            Held(float(at), Holding(0.0, 0.0, 20 + more, 16), Holding(engine, engine, 10, 12), 0)
        )
    return found


@pytest.mark.parametrize(
    ("percent", "more", "flat"),
    [(0.0, 0, set()), (0.5, 0, set()), (3.0, 0, {"rss"}), (0.0, 40, {"descriptors"})],
)
def test_what_grows_is_told(percent: float, more: int, flat: set[str]) -> None:
    """After the warm-up, which grows as much as it likes, a leak of memory or descriptors is told."""
    figures = trends(samples(percent, more), 0.0, HOUR)
    found = figures["soak.rss.slope_percent_per_hour"]
    assert found.value == pytest.approx(percent, abs=0.1)
    judged = {
        name: figures[f"soak.{name}.flat"].value for name in ("rss", "descriptors", "threads")
    }
    assert {name for name, holds in judged.items() if not holds} == flat


def test_a_short_run_is_not_judged() -> None:
    """A few minutes have slopes, and say nothing about an hour."""
    figures = trends(samples(3.0, 0, minutes=10), 0.0, 600.0)
    assert "soak.rss.slope_percent_per_hour" in figures
    assert not [key for key in figures if key.endswith(".flat")]
    assert trends(samples(3.0, 0, minutes=10)[:3], 0.0, 600.0) == {}


async def test_health_is_asked_beside_the_work(tmp_path: Path) -> None:
    """The watch asks while it is entered and keeps its times by minute; a daemon that is gone is wrong."""
    async with running(tmp_path) as street:

        def watched(address: str) -> HealthWatch:
            with (
                Caller(address, Ledger(), timeout_s=5) as client,
                HealthWatch(client, 0.0) as watch,
            ):
                while not watch.times_ms or len(watch.times_ms[0]) < 3:
                    pass
            return watch

        here = await asyncio.to_thread(watched, street.address)
        gone = await asyncio.to_thread(watched, f"unix:{tmp_path / 'none'}")
    assert (here.wrong, len(here.times_ms)) == ([], 1)
    assert set(gone.wrong) == {"UNREACHABLE"}


def test_what_runs_beside_ends_with_its_block() -> None:
    """Leaving tells the work to stop and waits until it has."""
    ended = threading.Event()

    class Work(Beside):
        def run(self) -> None:
            self._stop.wait(20)
            ended.set()

    with Work():
        assert not ended.is_set()
    assert ended.is_set()
