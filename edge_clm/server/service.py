"""EdgeClmService over the answerer; protobuf ends here."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Protocol

from google.protobuf.timestamp_pb2 import Timestamp

from edge_clm import __version__
from edge_clm.config import Limits
from edge_clm.errors import ImageMissing, InternalFault
from edge_clm.extractor import Extracted, Order
from edge_clm.inquiry import Inquiry
from edge_clm.link import ModelInfo
from edge_clm.media import sniff
from edge_clm.server.accounts import Accounts
from edge_clm.server.call import Context, current
from edge_clm.server.convert import answer_message, extract_message
from edge_clm.server.listen import HEADROOM
from edge_clm.server.metrics import Metrics
from edge_clm.server.requests import asked, described, judged, ordered, refuse_above
from edge_clm.server.values import extraction_message
from edge_clm.types import Answer, Capture
from edge_clm.v1 import edge_clm_pb2 as pb
from edge_clm.v1 import edge_clm_pb2_grpc

MEDIA_TYPES = (
    *(sniff.JPEG, sniff.PNG, sniff.WEBP, sniff.GIF, sniff.BMP, sniff.TIFF),
    *(sniff.HEIC, sniff.AVIF, sniff.PDF),
)
"""Those of `media.decode`, which this process does not load: it would bring the image libraries."""


class Answers(Protocol):
    """What the service needs of the answerer."""

    def answer(self, inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        """Yields pieces of text, then one answer."""
        ...

    async def put_capture(self, tenant: str, data: bytes, deadline: float) -> Capture:
        """Keeps a file."""
        ...

    async def feedback(self, tenant: str, answer_id: str, right: bool, correction: str) -> None:
        """Records a judgement."""
        ...


class Extracts(Protocol):
    """What the service needs of the extractor."""

    async def extract(self, order: Order) -> Extracted:
        """Reads the pages of a document and what stands on them."""
        ...


class Identity(Protocol):
    """What the service needs of the engine."""

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 of everything that shapes an answer."""
        ...

    @property
    def models(self) -> Sequence[ModelInfo]:
        """The models that run."""
        ...


class Service(edge_clm_pb2_grpc.EdgeClmServiceServicer):
    """Checks requests, asks the answerer, words its answers; errors are left to the layers around it."""

    def __init__(
        self,
        answers: Answers,
        extracts: Extracts,
        identity: Identity,
        limits: Limits,
        metrics: Metrics,
        accounts: Accounts,
    ) -> None:
        self._answers = answers
        self._extracts = extracts
        self._identity = identity
        self._limits = limits
        self._metrics = metrics
        self._accounts = accounts
        self._started = Timestamp()
        self._started.GetCurrentTime()

    async def Describe(self, request: pb.DescribeRequest, context: Context) -> pb.DescribeResponse:
        """Says what a page shows: in words, and what the rules read on it."""
        inquiry = described(request, current(), self._limits)
        answer = await self._whole(inquiry)
        # The text that has just been described, whatever the caller wishes of older ones.
        source = replace(inquiry.source, number=answer.page.number)
        wish = replace(inquiry.wish, fresh=False)
        order = Order(inquiry.tenant, source, inquiry.deadline, wish)
        extracted = await self._extracts.extract(order)
        extraction = extraction_message(extracted.extraction)
        return pb.DescribeResponse(answer=answer, extraction=extraction)

    async def Extract(self, request: pb.ExtractRequest, context: Context) -> pb.ExtractResponse:
        """Reads the fields and tables of a document."""
        order = ordered(request, current(), self._limits)
        current().received = len(order.source.data or b"")
        extracted = await self._extracts.extract(order)
        current().mode = extracted.mode.value
        return extract_message(extracted)

    async def Ask(self, request: pb.AskRequest, context: Context) -> pb.AskResponse:
        """Answers one question."""
        inquiry = asked(request, current(), self._limits)
        return pb.AskResponse(answer=await self._whole(inquiry))

    async def AskStream(self, request: pb.AskStreamRequest, context: Context) -> None:
        """Answers one question piece by piece.

        Writes rather than yields: a caller's leaving is then always felt inside this coroutine,
        never between two turns of a generator that nobody would close.
        """
        inquiry = asked(request, current(), self._limits)
        self._receive(inquiry)
        async with aclosing(self._answers.answer(inquiry)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    await context.write(pb.AskStreamResponse(answer=self._given(event)))
                    return
                await context.write(pb.AskStreamResponse(delta=event))
        raise InternalFault("the answer ended before it was whole")

    async def PutCapture(
        self, request_iterator: AsyncIterable[pb.PutCaptureRequest], context: Context
    ) -> pb.PutCaptureResponse:
        """Keeps a file that comes in pieces; one too large is refused before the rest is read."""
        call, data = current(), bytearray()
        async for request in request_iterator:
            refuse_above(len(data) + len(request.chunk), self._limits, "chunk")
            data += request.chunk
        if not data:
            raise ImageMissing("the upload has no bytes", field="chunk")
        call.whole, call.received = True, len(data)
        capture = await self._answers.put_capture(call.tenant, bytes(data), call.deadline)
        return pb.PutCaptureResponse(
            handle=capture.handle,
            pages=capture.pages,
            media_type=capture.media_type,
            size=capture.size,
        )

    async def GetInfo(self, request: pb.GetInfoRequest, context: Context) -> pb.GetInfoResponse:
        """Tells what this daemon is."""
        return pb.GetInfoResponse(
            version=__version__,
            fingerprint=self._identity.fingerprint,
            models=[_model(info) for info in self._identity.models],
            limits=_limits(self._limits),
            started=self._started,
        )

    async def Feedback(self, request: pb.FeedbackRequest, context: Context) -> pb.FeedbackResponse:
        """Records whether an answer was right."""
        right = judged(request, self._limits)
        await self._answers.feedback(current().tenant, request.answer_id, right, request.correction)
        return pb.FeedbackResponse()

    async def _whole(self, inquiry: Inquiry) -> pb.Answer:
        self._receive(inquiry)
        async with aclosing(self._answers.answer(inquiry)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    return self._given(event)
        raise InternalFault("the answer ended before it was whole")

    def _receive(self, inquiry: Inquiry) -> None:
        current().received = len(inquiry.source.data or b"")

    def _given(self, answer: Answer) -> pb.Answer:
        message = answer_message(answer)
        current().mode = answer.mode.value
        self._metrics.answer(answer)
        self._accounts.add(current(), answer)
        return message


def _model(info: ModelInfo) -> pb.Model:
    return pb.Model(
        role=info.role, name=info.name, fingerprint=info.fingerprint, device=info.device
    )


def _limits(limits: Limits) -> pb.Limits:
    shared: dict[str, Any] = limits.model_dump(
        include={
            "max_bytes",
            "max_pixels",
            "min_side",
            "max_ratio",
            "max_question_chars",
            "max_tokens",
            "max_pages",
            "max_deadline_s",
        }
    )
    return pb.Limits(
        **shared, max_message_bytes=limits.max_bytes + HEADROOM, media_types=MEDIA_TYPES
    )
