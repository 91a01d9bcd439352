"""Extract, Describe and grounded answers over real sockets."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest

from edge_clm.paper import Extraction, Flaw, Notice, NoticeKind, PageKind
from edge_clm.server.values import extraction_message, flaw_values, notice_message
from edge_clm.v1 import edge_clm_pb2 as pb
from tests.server.house import asking, house, refused


async def test_an_extraction_arrives_whole(tmp_path: Path) -> None:
    """Fields, readings of a date, tables, sums and boxes are what the extractor said they are."""
    async with house(tmp_path) as at:
        response = await at.stub().Extract(pb.ExtractRequest(page=pb.Page(handle="c_1")))
    extraction = response.extraction
    assert (extraction.kind, extraction.language) == (pb.PAGE_KIND_INVOICE, "en")
    total, date = extraction.fields
    assert (total.name, total.raw) == ("total", "$4.20")
    assert total.value.money == pb.Money(amount="4.20", currency="USD")
    assert total.confidence == pytest.approx(0.75)
    assert (total.evidence[0].text, total.evidence[0].page) == ("$4.20", 2)
    assert total.evidence[0].quad[2] == pb.Point(x=30, y=12)
    assert date.value.dates.readings == ["2026-05-04", "2026-04-05"]
    assert (date.ambiguous, date.look_again) == (True, True)
    assert date.alternatives[0].value.date == "2026-05-01"
    [cell] = extraction.tables[0].rows[0].cells
    assert (cell.name, cell.value.quantity.number) == ("quantity", "2")
    [check] = extraction.checks
    assert (check.name, check.holds) == ("lines_subtotal", False)
    assert (check.expected.money.amount, check.found.money.amount) == ("4.00", "4.20")


async def test_an_extraction_says_how_it_came_about(tmp_path: Path) -> None:
    """Pages with their flaws, serve mode and stages are told."""
    async with house(tmp_path) as at:
        response = await at.stub().Extract(pb.ExtractRequest(page=pb.Page(image=b"img")))
    [page] = response.pages
    assert (page.handle, page.number, page.count, page.turn) == ("c_1", 2, 3, 90)
    assert list(page.flaws) == [pb.FLAW_GLARE]
    [notice] = page.notices
    assert (notice.kind, notice.handle, notice.number) == (pb.NOTICE_KIND_CHANGED, "c_0", 3)
    assert notice.seen.ToMilliseconds() == 1_750_000_000_500
    [difference] = notice.differences
    assert difference == pb.Difference(field="total", before="$4.10", now="$4.20")
    assert response.serve_mode == pb.SERVE_MODE_WARM
    assert [(stage.name, stage.ms) for stage in response.stages] == [("extract", 4.0)]


async def test_an_order_carries_what_was_asked(tmp_path: Path) -> None:
    """Source, tenant and wishes of the request reach the extractor."""
    request = pb.ExtractRequest(
        page=pb.Page(handle="c_9", number=4), reuse=pb.Reuse(fresh=True, no_store=True)
    )
    async with house(tmp_path) as at:
        await at.stub().Extract(request)
        [order] = at.parts.extractor.orders
    assert (order.tenant, order.source.handle, order.source.number) == ("local", "c_9", 4)
    assert (order.wish.fresh, order.wish.no_store) == (True, True)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (pb.ExtractRequest(), "IMAGE_MISSING"),
        (pb.ExtractRequest(page=pb.Page(handle="c", number=-1)), "REQUEST_INVALID"),
        (pb.ExtractRequest(page=pb.Page(handle="c" * 300)), "REQUEST_INVALID"),
        (
            pb.ExtractRequest(page=pb.Page(handle="c"), reuse=pb.Reuse(max_age_s=-1)),
            "REQUEST_INVALID",
        ),
    ],
)
async def test_a_malformed_order_is_refused(
    tmp_path: Path, request_: pb.ExtractRequest, reason: str
) -> None:
    """Each fault is named, and nothing reaches the extractor."""
    async with house(tmp_path) as at:
        told = await refused(at.stub().Extract(request_))
        assert (told.code, told.reason) == (grpc.StatusCode.INVALID_ARGUMENT.name, reason)
        assert not at.parts.extractor.orders


async def test_a_description_has_fields_too(tmp_path: Path) -> None:
    """Describe gives words and what the rules read, on the page that was described."""
    async with house(tmp_path) as at:
        request = pb.DescribeRequest(page=pb.Page(handle="c_1"), reuse=pb.Reuse(fresh=True))
        response = await at.stub().Describe(request)
        [order] = at.parts.extractor.orders
    assert response.answer.text == "a page"
    assert response.extraction.fields[0].name == "total"
    # The page was read anew for the description a moment ago: once is enough.
    assert (order.source.number, order.wish.fresh) == (2, False)


async def test_an_answer_says_what_it_rests_on(tmp_path: Path) -> None:
    """Value, grounding and evidence are told, on the page that answered."""
    async with house(tmp_path) as at:
        answer = (await at.stub().Ask(asking())).answer
    assert answer.grounded == pb.GROUNDED_YES
    assert answer.value.money == pb.Money(amount="4.20", currency="USD")
    assert [(item.text, item.page) for item in answer.evidence] == [("$4.20", 2)]


def test_every_kind_and_flaw_has_its_word() -> None:
    """No kind of page or notice and no flaw is left without a name in the contract."""
    told = {notice_message(Notice(kind, "c", 1, 0.0)).kind for kind in NoticeKind}
    assert told == set(pb.NoticeKind.values()) - {pb.NOTICE_KIND_UNSPECIFIED}
    kinds = {extraction_message(Extraction(kind, "")).kind for kind in PageKind}
    assert kinds == set(pb.PageKind.values()) - {pb.PAGE_KIND_UNSPECIFIED}
    assert set(flaw_values(list(Flaw))) == set(pb.Flaw.values()) - {pb.FLAW_UNSPECIFIED}
