"""What a soak found, as figures: calls and their ends, health, and what the daemon held over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

from bench.bounds import percentile
from bench.report import Figure, count, ranked
from bench.soak_client import Ended
from bench.soak_health import HealthStream
from bench.soak_ledger import End, Ledger
from bench.soak_trend import Trend, trend
from bench.watch import HealthWatch, Held

WARM_UP_S = 900.0
"""What is sampled before is no trend: page states, pictures and arenas are still being filled."""
_WARM_UP_SHARE = 0.25
"""Of a run that is too short for that."""
_JUDGED_H = 0.5
"""Hours from which on a trend is judged; a shorter one says nothing about an hour."""
_MOST_PERCENT = 1.0
"""By which memory may grow in an hour."""
DESCRIPTORS_MORE = 32
"""File descriptors that the daemon may hold more of after the soak than before."""


def warm_up_s(seconds: float) -> float:
    """How long a run of so many seconds warms up."""
    return min(WARM_UP_S, _WARM_UP_SHARE * seconds)


def holds(found: bool, n: int = 1, note: str = "") -> Figure:
    """Whether something held that must."""
    return count(float(found), n, "holds", note)


def calls(ledger: Ledger, ended: Sequence[Ended], stuck: int) -> dict[str, Figure]:
    """Every call and its end; what was done with them, and what of it ended as it must not."""
    n, lost, forgotten = ledger.begun(), ledger.lost(), ledger.forgotten()
    missed = ", ".join(f"{what} ×{times}" for what, times in lost.items())
    wrong = Counter(f"{one.action}: {one.outcome}" for one in ended if not one.expected)
    told = ", ".join(f"{name} ×{times}" for name, times in wrong.most_common(5))
    ends = {f"soak.calls.{end}": count(ledger.ended(end), n) for end in End}
    return {
        "soak.actions": count(len(ended), len(ended)),
        "soak.calls": count(n, n, note="health's left out"),
        **ends,
        "soak.lost": count(lost.total(), n, note=missed),
        "soak.wrong": count(sum(wrong.values()), len(ended), note=told),
        "soak.stuck": count(stuck, len(ended)),
        "soak.none_lost": holds(not lost, n),
        "soak.none_wrong": holds(not wrong, len(ended)),
        "soak.none_stuck": holds(not stuck, len(ended)),
        "soak.every_call_made": holds(not forgotten, note=", ".join(forgotten)),
    }


def health(watch: HealthWatch, stream: HealthStream) -> dict[str, Figure]:
    """What health said, asked for again and again, and watched."""
    times = [ms for minute in watch.times_ms for ms in minute]
    n = len(times)
    told = ", ".join(f"{name} ×{times}" for name, times in Counter(watch.wrong).items())
    heard = f"{stream.words} words {' '.join(stream.wrong)}".strip()
    minutes = [minute for minute in watch.times_ms if minute]
    return {
        "soak.health.checks": count(n, n),
        "soak.health.serving": count(1 - len(watch.wrong) / n, n, "share"),
        "soak.health.always_serving": holds(not watch.wrong, n, told),
        "soak.health.watch_serving": holds(stream.words > 0 and not stream.wrong, 1, heard),
        "soak.health.p95_ms": ranked(minutes, 95, "ms", "by minute"),
        "soak.health.max_ms": count(percentile(times, 100), n, "ms"),
    }


def holdings(before: Held, samples: Sequence[Held], after: Held) -> dict[str, Figure]:
    """What daemon and engine held before, at most, and after."""
    n = len(samples)
    more = after.descriptors - before.descriptors
    return {
        "soak.rss.before": count(before.rss_mib, 1, "MiB"),
        "soak.rss.peak": count(max(one.rss_mib for one in samples), n, "MiB"),
        "soak.rss.after": count(after.rss_mib, 1, "MiB"),
        "soak.descriptors.before": count(before.descriptors, 1),
        "soak.descriptors.after": count(after.descriptors, 1),
        "soak.descriptors.bounded": holds(more <= DESCRIPTORS_MORE),
        "soak.threads.before": count(before.threads, 1),
        "soak.threads.peak": count(max(one.threads for one in samples), n),
        "soak.threads.after": count(after.threads, 1),
        "soak.no_process_left": holds(not after.others, note=f"{after.others} beside the engine"),
    }


def trends(samples: Sequence[Held], started: float, seconds: float) -> dict[str, Figure]:
    """How memory, descriptors and threads grew once it was warm; empty where there is too little.

    Whether that is little enough is said only of half an hour or more.
    """
    skipped = warm_up_s(seconds)
    warm = [one for one in samples if one.at >= started + skipped]
    rss = _trend(warm, "rss_mib")
    if rss is None:
        return {}
    after = f"after {skipped / 60:.3g} min of warm-up; median {rss.median:.0f} MiB"
    figures = {
        "soak.rss.slope_percent_per_hour": _slope(rss, "%/h", 100 / rss.median, after),
        "soak.rss.own.slope": _slope(
            _trend(warm, "own_mib"), "MiB/h", note="not mapped from files"
        ),
        "soak.rss.daemon.slope": _slope(_trend(warm, "daemon.rss_mib"), "MiB/h"),
        "soak.rss.engine.slope": _slope(_trend(warm, "engine.rss_mib"), "MiB/h"),
    }
    judged = rss.hours >= _JUDGED_H
    if judged:
        figures["soak.rss.flat"] = holds(rss.per_hour * 100 / rss.median <= _MOST_PERCENT)
    for name in ("descriptors", "threads"):
        found, spread = _trend(warm, name), list(map(attrgetter(name), warm))
        note = f"{min(spread)} to {max(spread)}"
        figures[f"soak.{name}.slope"] = _slope(found, "/h", note=note)
        if judged and found:
            figures[f"soak.{name}.flat"] = holds(found.growth < 1)
    return figures


def _trend(samples: Sequence[Held], name: str) -> Trend | None:
    return trend([one.at for one in samples], list(map(attrgetter(name), samples)))


def _slope(found: Trend | None, unit: str, scale: float = 1.0, note: str = "") -> Figure:
    if found is None:
        raise ValueError("a trend of too few samples has no slope")
    low, high = found.low * scale, found.high * scale
    said = "; ".join(filter(None, (note, f"{found.stretches} stretches")))
    return Figure(found.per_hour * scale, found.stretches, unit, low, high, said)
