"""Whether a page is taken for another: near twins, look-alikes, and the same paper photographed again.

Each page is known by one capture (the anchor). A twin of it is made by one edit: a digit of the total, the
number, a date, a quantity, a level; a letter of a name; a unit, a sign, a decimal point, a flag; two lines
exchanged, a line more; a stamp, a strike, a correction by hand. Photos of inv3d are edited in place and
known by another photo of the same paper; scans of sroie and generated pages are photographed by
simulation, once as the anchor and once more, in one and the same photograph, as the control and all twins. The true page is forced as the
candidate; what its edit changes is asked. A trial is live only where the control was the same page for that question.

Parts: twins (--n pages of each set, --twins of each page, --compared of them shown to rivals too: full OCR),
reuse (photos of inv3d against --others photos of the same paper, values that bench/legible.csv calls
legible on both) and lookalike (template 47 of inv3d, sroie receipts of one company; --others of each).
A value that the anchor's own text has otherwise is not asked: that is a cold error.

Besides, pictures with many values marked (--scrawls) or printed otherwise (--retouched), each of which is asked: many
live trials in the time of one twin. What nobody could see where it stands is no trial.

Signals of every trial are kept, page by page, for the same twins, judge and OCR; the rule is applied to
them afterwards, and swept. On two cores a page takes about 8 s and 2 to 3 s more for each twin, 3 s for
each comparison with rivals, 2 s for each pair: all of it about three hours with two workers.

Figures: live.wrong and live.trials, in all, .from.real and .simulated, .sort.NAME, .kind.NAME; control.same.SET,
unchanged.same, reuse.real_photos with .bend and .light, reuse.misread, lookalike.wrong and .pairs_taken,
rival.NAME.served and .wrong, curve.NATS.wrong and .reuse (the rule's bars moved together), stage.NAME.p50_ms and .p95_ms.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bench.failure import BenchError
from bench.legible import legible
from bench.options import Options
from bench.progress import Progress, say
from bench.report import Figure
from bench.session import conclude
from bench.twins.calibrate import calibrated, kept
from bench.twins.contest import contest_figures
from bench.twins.curve import curve_figures, same_under, with_settings
from bench.twins.figures import (
    Legible,
    live_figures,
    lookalike_figures,
    reuse_figures,
    stage_figures,
)
from bench.twins.known import open_rig
from bench.twins.pairs import Pairs, lookalike_pairs, reuse_pairs
from bench.twins.sets import alike, generated, photos, scans
from bench.twins.sources import pixels_of
from bench.twins.trials import LOOKALIKE, REUSE, Page, Trials, revision
from bench.twins.tried import Extent
from bench.twins.work import Settings, Unit, work
from edge_clm.page.rule import Signals, Thresholds, rule
from edge_clm.page.thresholds import load_thresholds
from edge_clm.weights import shipped, write_whole

_NUMBERS = re.compile(r"[-−]?\d+(?:\.\d+)?")
PARTS = ("twins", "reuse", "lookalike")


def add_options(parser: argparse.ArgumentParser) -> None:
    """How much is tried."""
    parser.add_argument("--part", nargs="+", choices=PARTS, default=PARTS, help="default: all")
    parser.add_argument("--twins", type=int, default=12, metavar="N", help="default %(default)s")
    parser.add_argument("--compared", type=int, default=2, metavar="N", help="default %(default)s")
    parser.add_argument(
        "--scrawls", type=int, default=0, metavar="N", help="pictures of a page with many marks"
    )
    parser.add_argument(
        "--retouched",
        type=int,
        default=0,
        metavar="N",
        help="pictures of a page with many values printed otherwise",
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="edit only values for which the control is served: no other twin could be live",
    )
    parser.add_argument(
        "--served",
        nargs="+",
        default=(),
        metavar="NAME=NUMBER",
        help="what --live takes for served: by other thresholds than the usual ones",
    )
    parser.add_argument(
        "--read", action="store_true", help="read every capture whole before it is compared"
    )
    parser.add_argument("--others", type=int, default=17, metavar="N", help="default %(default)s")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="default %(default)s")
    parser.add_argument(
        "--revision", metavar="NAME", help="use the signals kept under that name; it is printed"
    )
    parser.add_argument(
        "--kept", action="store_true", help="report on what is kept already, and try nothing more"
    )
    parser.add_argument(
        "--threshold",
        nargs="+",
        default=(),
        metavar="NAME=NUMBER",
        help="try the rule with other thresholds; nothing is computed anew",
    )
    parser.add_argument(
        "--calibrate",
        type=Path,
        metavar="FILE",
        help="put the rule's bars by what was tried, and write them here; only generated pages are tried",
    )
    parser.epilog = "--n counts pages of each set; default all that there are."


def run(options: Options, given: argparse.Namespace) -> int:
    """Tries what is not yet tried, and reports; 0 when no answer went wrong, 1 where one did."""
    readable: Legible = legible() if REUSE in given.part else frozenset()
    rig = open_rig(options.models, reads=given.read)
    again = photos(options.data, None, options.seed)
    checked = rig.readings.check([partial(pixels_of, one.path) for one in again])
    name = given.revision or revision(rig.reader.fingerprint)
    say(f"revision {name}; {checked} kept readings made anew, all alike")
    usual = load_thresholds(shipped("identity"))
    served = with_settings(usual, given.served) if given.live else None
    # An edit elsewhere changes no value that could be served; bars are put by it all the same.
    elsewhere = not given.live or bool(given.calibrate)
    extent = Extent(
        given.twins, given.compared, given.scrawls, given.retouched, served, elsewhere=elsewhere
    )
    settings = Settings(options.models, extent, reads=given.read)
    units = _units(options, given)
    workers = 0 if given.kept else given.workers
    pages = _tried(units, settings, Trials(name), workers, restart=options.restart)
    if given.calibrate:
        thresholds = with_settings(calibrated(pages, usual), given.threshold)
        tried = f"--n {options.n} --twins {given.twins} --compared {given.compared}"
        tried += f" --scrawls {given.scrawls} --retouched {given.retouched}"
        tried += " --live" if given.live else ""
        tried += f" --served {' '.join(given.served)}" if given.served else ""
        tried += f" --threshold {' '.join(given.threshold)}" if given.threshold else ""
        told = f"python -m bench identity --seed {options.seed} {tried} --calibrate FILE"
        write_whole(given.calibrate, json.dumps(kept(pages, thresholds, told), indent=1) + "\n")
    else:
        thresholds = with_settings(usual, given.threshold)
    figures = _figures(pages, thresholds, readable)
    _say_reasons(pages, thresholds)
    conclude(options, "identity", figures, rig.reader.fingerprint, f"seed {options.seed}")
    wrong = [figures[key].value for key in ("live.wrong", "lookalike.wrong") if key in figures]
    return int(any(wrong))


def _units(options: Options, given: argparse.Namespace) -> list[Unit]:
    """What is to be tried, in random order, so that a run that is broken off has a sample of everything."""
    data, n, seed = options.data, options.n, options.seed
    if given.calibrate:
        return [*generated(data, n, seed)]
    real = [*photos(data, n, seed), *scans(data, n, seed)]
    units: list[Unit] = []
    if "twins" in given.part:
        units += [*real, *generated(data, n, seed)]
    pairs: list[Pairs] = []
    if REUSE in given.part:
        pairs += reuse_pairs(photos(data, None, seed), given.others, seed)
    if LOOKALIKE in given.part:
        pairs += lookalike_pairs(alike(data, seed), given.others, seed)
    anchors = {one.name for one in real}
    units += [one for one in pairs if one.anchor.name in anchors]
    if not units:
        raise BenchError(f"nothing to try under {data}; name a directory with --data")
    random.Random(seed).shuffle(units)
    return units


def _tried(
    units: Sequence[Unit], settings: Settings, trials: Trials, workers: int, *, restart: bool
) -> list[Page]:
    progress = Progress("identity", len(units))
    kept = {} if restart else {unit.name: trials.get(settings.name(unit)) for unit in units}
    pages = [page for page in kept.values() if page]
    progress.skip(len(pages))
    missing = [unit for unit in units if not kept.get(unit.name)]
    if missing and not workers:
        say(f"{len(missing)} of {len(units)} are not tried")
    for unit, page in work(missing, settings, workers) if missing and workers else ():
        trials.put(settings.name(unit), page)
        pages.append(page)
        progress.step(unit.name)
    return pages


def _figures(pages: Sequence[Page], thresholds: Thresholds, readable: Legible) -> dict[str, Figure]:
    same = same_under(thresholds)
    trials = [one for page in pages for one in page.trials]
    return {
        **live_figures(trials, same),
        **reuse_figures(pages, same, readable),
        **lookalike_figures(trials, same),
        **contest_figures(trials, same),
        **curve_figures(pages, thresholds, readable),
        **stage_figures(pages),
    }


def _say_reasons(pages: Sequence[Page], thresholds: Thresholds) -> None:
    """Why captures of the same page were not taken for it."""
    for kind in ("control", REUSE):
        mine = [one for page in pages for one in page.trials if one.kind == kind]
        counted = Counter(
            _NUMBERS.sub("…", reason)
            for one in mine
            for reason in rule(Signals(**one.signals), thresholds).reasons
        )
        told = ", ".join(f"{reason} {times}" for reason, times in counted.most_common(12))
        say(f"{kind}: {len(mine)} questions; reasons: {told}")
