import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PageKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PAGE_KIND_UNSPECIFIED: _ClassVar[PageKind]
    PAGE_KIND_INVOICE: _ClassVar[PageKind]
    PAGE_KIND_RECEIPT: _ClassVar[PageKind]
    PAGE_KIND_LAB_REPORT: _ClassVar[PageKind]
    PAGE_KIND_RADIOLOGY_REPORT: _ClassVar[PageKind]
    PAGE_KIND_OTHER: _ClassVar[PageKind]

class NoticeKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NOTICE_KIND_UNSPECIFIED: _ClassVar[NoticeKind]
    NOTICE_KIND_SEEN_BEFORE: _ClassVar[NoticeKind]
    NOTICE_KIND_CHANGED: _ClassVar[NoticeKind]
    NOTICE_KIND_SAME_NUMBER: _ClassVar[NoticeKind]

class Flaw(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FLAW_UNSPECIFIED: _ClassVar[Flaw]
    FLAW_BLURRED: _ClassVar[Flaw]
    FLAW_GLARE: _ClassVar[Flaw]
    FLAW_DARK: _ClassVar[Flaw]
    FLAW_CUT_OFF: _ClassVar[Flaw]
    FLAW_TOO_SMALL: _ClassVar[Flaw]

class ServeMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SERVE_MODE_UNSPECIFIED: _ClassVar[ServeMode]
    SERVE_MODE_COLD: _ClassVar[ServeMode]
    SERVE_MODE_WARM: _ClassVar[ServeMode]
    SERVE_MODE_VERIFIED: _ClassVar[ServeMode]
    SERVE_MODE_REPLAY: _ClassVar[ServeMode]

class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTCOME_UNSPECIFIED: _ClassVar[Outcome]
    OUTCOME_ANSWERED: _ClassVar[Outcome]
    OUTCOME_NOT_ON_PAGE: _ClassVar[Outcome]
    OUTCOME_UNREADABLE: _ClassVar[Outcome]

class FinishReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FINISH_REASON_UNSPECIFIED: _ClassVar[FinishReason]
    FINISH_REASON_STOP: _ClassVar[FinishReason]
    FINISH_REASON_LENGTH: _ClassVar[FinishReason]
    FINISH_REASON_REPETITION: _ClassVar[FinishReason]

class Grounded(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GROUNDED_UNSPECIFIED: _ClassVar[Grounded]
    GROUNDED_YES: _ClassVar[Grounded]
    GROUNDED_NO: _ClassVar[Grounded]

class Judgement(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    JUDGEMENT_UNSPECIFIED: _ClassVar[Judgement]
    JUDGEMENT_RIGHT: _ClassVar[Judgement]
    JUDGEMENT_WRONG: _ClassVar[Judgement]
PAGE_KIND_UNSPECIFIED: PageKind
PAGE_KIND_INVOICE: PageKind
PAGE_KIND_RECEIPT: PageKind
PAGE_KIND_LAB_REPORT: PageKind
PAGE_KIND_RADIOLOGY_REPORT: PageKind
PAGE_KIND_OTHER: PageKind
NOTICE_KIND_UNSPECIFIED: NoticeKind
NOTICE_KIND_SEEN_BEFORE: NoticeKind
NOTICE_KIND_CHANGED: NoticeKind
NOTICE_KIND_SAME_NUMBER: NoticeKind
FLAW_UNSPECIFIED: Flaw
FLAW_BLURRED: Flaw
FLAW_GLARE: Flaw
FLAW_DARK: Flaw
FLAW_CUT_OFF: Flaw
FLAW_TOO_SMALL: Flaw
SERVE_MODE_UNSPECIFIED: ServeMode
SERVE_MODE_COLD: ServeMode
SERVE_MODE_WARM: ServeMode
SERVE_MODE_VERIFIED: ServeMode
SERVE_MODE_REPLAY: ServeMode
OUTCOME_UNSPECIFIED: Outcome
OUTCOME_ANSWERED: Outcome
OUTCOME_NOT_ON_PAGE: Outcome
OUTCOME_UNREADABLE: Outcome
FINISH_REASON_UNSPECIFIED: FinishReason
FINISH_REASON_STOP: FinishReason
FINISH_REASON_LENGTH: FinishReason
FINISH_REASON_REPETITION: FinishReason
GROUNDED_UNSPECIFIED: Grounded
GROUNDED_YES: Grounded
GROUNDED_NO: Grounded
JUDGEMENT_UNSPECIFIED: Judgement
JUDGEMENT_RIGHT: Judgement
JUDGEMENT_WRONG: Judgement

class Page(_message.Message):
    __slots__ = ("image", "handle", "number")
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    image: bytes
    handle: str
    number: int
    def __init__(self, image: _Optional[bytes] = ..., handle: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class Reuse(_message.Message):
    __slots__ = ("fresh", "no_store", "max_age_s")
    FRESH_FIELD_NUMBER: _ClassVar[int]
    NO_STORE_FIELD_NUMBER: _ClassVar[int]
    MAX_AGE_S_FIELD_NUMBER: _ClassVar[int]
    fresh: bool
    no_store: bool
    max_age_s: float
    def __init__(self, fresh: _Optional[bool] = ..., no_store: _Optional[bool] = ..., max_age_s: _Optional[float] = ...) -> None: ...

class Generation(_message.Message):
    __slots__ = ("max_tokens", "temperature", "seed")
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    max_tokens: int
    temperature: float
    seed: int
    def __init__(self, max_tokens: _Optional[int] = ..., temperature: _Optional[float] = ..., seed: _Optional[int] = ...) -> None: ...

class AskRequest(_message.Message):
    __slots__ = ("page", "question", "reuse", "generation")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    REUSE_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    page: Page
    question: str
    reuse: Reuse
    generation: Generation
    def __init__(self, page: _Optional[_Union[Page, _Mapping]] = ..., question: _Optional[str] = ..., reuse: _Optional[_Union[Reuse, _Mapping]] = ..., generation: _Optional[_Union[Generation, _Mapping]] = ...) -> None: ...

class AskResponse(_message.Message):
    __slots__ = ("answer",)
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    answer: Answer
    def __init__(self, answer: _Optional[_Union[Answer, _Mapping]] = ...) -> None: ...

class AskStreamRequest(_message.Message):
    __slots__ = ("page", "question", "reuse", "generation")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    REUSE_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    page: Page
    question: str
    reuse: Reuse
    generation: Generation
    def __init__(self, page: _Optional[_Union[Page, _Mapping]] = ..., question: _Optional[str] = ..., reuse: _Optional[_Union[Reuse, _Mapping]] = ..., generation: _Optional[_Union[Generation, _Mapping]] = ...) -> None: ...

class AskStreamResponse(_message.Message):
    __slots__ = ("delta", "answer")
    DELTA_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    delta: str
    answer: Answer
    def __init__(self, delta: _Optional[str] = ..., answer: _Optional[_Union[Answer, _Mapping]] = ...) -> None: ...

class DescribeRequest(_message.Message):
    __slots__ = ("page", "reuse", "generation")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    REUSE_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    page: Page
    reuse: Reuse
    generation: Generation
    def __init__(self, page: _Optional[_Union[Page, _Mapping]] = ..., reuse: _Optional[_Union[Reuse, _Mapping]] = ..., generation: _Optional[_Union[Generation, _Mapping]] = ...) -> None: ...

class DescribeResponse(_message.Message):
    __slots__ = ("answer", "extraction")
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    EXTRACTION_FIELD_NUMBER: _ClassVar[int]
    answer: Answer
    extraction: Extraction
    def __init__(self, answer: _Optional[_Union[Answer, _Mapping]] = ..., extraction: _Optional[_Union[Extraction, _Mapping]] = ...) -> None: ...

class ExtractRequest(_message.Message):
    __slots__ = ("page", "reuse")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    REUSE_FIELD_NUMBER: _ClassVar[int]
    page: Page
    reuse: Reuse
    def __init__(self, page: _Optional[_Union[Page, _Mapping]] = ..., reuse: _Optional[_Union[Reuse, _Mapping]] = ...) -> None: ...

class ExtractResponse(_message.Message):
    __slots__ = ("extraction", "pages", "serve_mode", "stages")
    EXTRACTION_FIELD_NUMBER: _ClassVar[int]
    PAGES_FIELD_NUMBER: _ClassVar[int]
    SERVE_MODE_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    extraction: Extraction
    pages: _containers.RepeatedCompositeFieldContainer[PageInfo]
    serve_mode: ServeMode
    stages: _containers.RepeatedCompositeFieldContainer[Stage]
    def __init__(self, extraction: _Optional[_Union[Extraction, _Mapping]] = ..., pages: _Optional[_Iterable[_Union[PageInfo, _Mapping]]] = ..., serve_mode: _Optional[_Union[ServeMode, str]] = ..., stages: _Optional[_Iterable[_Union[Stage, _Mapping]]] = ...) -> None: ...

class Extraction(_message.Message):
    __slots__ = ("kind", "language", "fields", "tables", "checks")
    KIND_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    CHECKS_FIELD_NUMBER: _ClassVar[int]
    kind: PageKind
    language: str
    fields: _containers.RepeatedCompositeFieldContainer[Field]
    tables: _containers.RepeatedCompositeFieldContainer[Table]
    checks: _containers.RepeatedCompositeFieldContainer[Check]
    def __init__(self, kind: _Optional[_Union[PageKind, str]] = ..., language: _Optional[str] = ..., fields: _Optional[_Iterable[_Union[Field, _Mapping]]] = ..., tables: _Optional[_Iterable[_Union[Table, _Mapping]]] = ..., checks: _Optional[_Iterable[_Union[Check, _Mapping]]] = ...) -> None: ...

class Field(_message.Message):
    __slots__ = ("name", "raw", "value", "evidence", "confidence", "ambiguous", "look_again", "alternatives")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RAW_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    AMBIGUOUS_FIELD_NUMBER: _ClassVar[int]
    LOOK_AGAIN_FIELD_NUMBER: _ClassVar[int]
    ALTERNATIVES_FIELD_NUMBER: _ClassVar[int]
    name: str
    raw: str
    value: Value
    evidence: _containers.RepeatedCompositeFieldContainer[Evidence]
    confidence: float
    ambiguous: bool
    look_again: bool
    alternatives: _containers.RepeatedCompositeFieldContainer[Candidate]
    def __init__(self, name: _Optional[str] = ..., raw: _Optional[str] = ..., value: _Optional[_Union[Value, _Mapping]] = ..., evidence: _Optional[_Iterable[_Union[Evidence, _Mapping]]] = ..., confidence: _Optional[float] = ..., ambiguous: _Optional[bool] = ..., look_again: _Optional[bool] = ..., alternatives: _Optional[_Iterable[_Union[Candidate, _Mapping]]] = ...) -> None: ...

class Candidate(_message.Message):
    __slots__ = ("raw", "value", "evidence", "confidence")
    RAW_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    raw: str
    value: Value
    evidence: _containers.RepeatedCompositeFieldContainer[Evidence]
    confidence: float
    def __init__(self, raw: _Optional[str] = ..., value: _Optional[_Union[Value, _Mapping]] = ..., evidence: _Optional[_Iterable[_Union[Evidence, _Mapping]]] = ..., confidence: _Optional[float] = ...) -> None: ...

class Table(_message.Message):
    __slots__ = ("name", "rows")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    name: str
    rows: _containers.RepeatedCompositeFieldContainer[Row]
    def __init__(self, name: _Optional[str] = ..., rows: _Optional[_Iterable[_Union[Row, _Mapping]]] = ...) -> None: ...

class Row(_message.Message):
    __slots__ = ("cells",)
    CELLS_FIELD_NUMBER: _ClassVar[int]
    cells: _containers.RepeatedCompositeFieldContainer[Field]
    def __init__(self, cells: _Optional[_Iterable[_Union[Field, _Mapping]]] = ...) -> None: ...

class Check(_message.Message):
    __slots__ = ("name", "holds", "expected", "found")
    NAME_FIELD_NUMBER: _ClassVar[int]
    HOLDS_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    name: str
    holds: bool
    expected: Value
    found: Value
    def __init__(self, name: _Optional[str] = ..., holds: _Optional[bool] = ..., expected: _Optional[_Union[Value, _Mapping]] = ..., found: _Optional[_Union[Value, _Mapping]] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("answer_id", "text", "outcome", "serve_mode", "finish_reason", "page", "stages", "tokens", "provenance", "dropped_lines", "value", "grounded", "evidence", "confidence")
    ANSWER_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    SERVE_MODE_FIELD_NUMBER: _ClassVar[int]
    FINISH_REASON_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    PROVENANCE_FIELD_NUMBER: _ClassVar[int]
    DROPPED_LINES_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    GROUNDED_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    answer_id: str
    text: str
    outcome: Outcome
    serve_mode: ServeMode
    finish_reason: FinishReason
    page: PageInfo
    stages: _containers.RepeatedCompositeFieldContainer[Stage]
    tokens: Tokens
    provenance: Provenance
    dropped_lines: int
    value: Value
    grounded: Grounded
    evidence: _containers.RepeatedCompositeFieldContainer[Evidence]
    confidence: float
    def __init__(self, answer_id: _Optional[str] = ..., text: _Optional[str] = ..., outcome: _Optional[_Union[Outcome, str]] = ..., serve_mode: _Optional[_Union[ServeMode, str]] = ..., finish_reason: _Optional[_Union[FinishReason, str]] = ..., page: _Optional[_Union[PageInfo, _Mapping]] = ..., stages: _Optional[_Iterable[_Union[Stage, _Mapping]]] = ..., tokens: _Optional[_Union[Tokens, _Mapping]] = ..., provenance: _Optional[_Union[Provenance, _Mapping]] = ..., dropped_lines: _Optional[int] = ..., value: _Optional[_Union[Value, _Mapping]] = ..., grounded: _Optional[_Union[Grounded, str]] = ..., evidence: _Optional[_Iterable[_Union[Evidence, _Mapping]]] = ..., confidence: _Optional[float] = ...) -> None: ...

class PageInfo(_message.Message):
    __slots__ = ("handle", "number", "count", "width", "height", "turn", "flaws", "notices")
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    FLAWS_FIELD_NUMBER: _ClassVar[int]
    NOTICES_FIELD_NUMBER: _ClassVar[int]
    handle: str
    number: int
    count: int
    width: int
    height: int
    turn: int
    flaws: _containers.RepeatedScalarFieldContainer[Flaw]
    notices: _containers.RepeatedCompositeFieldContainer[Notice]
    def __init__(self, handle: _Optional[str] = ..., number: _Optional[int] = ..., count: _Optional[int] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., turn: _Optional[int] = ..., flaws: _Optional[_Iterable[_Union[Flaw, str]]] = ..., notices: _Optional[_Iterable[_Union[Notice, _Mapping]]] = ...) -> None: ...

class Notice(_message.Message):
    __slots__ = ("kind", "handle", "number", "seen", "differences")
    KIND_FIELD_NUMBER: _ClassVar[int]
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SEEN_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCES_FIELD_NUMBER: _ClassVar[int]
    kind: NoticeKind
    handle: str
    number: int
    seen: _timestamp_pb2.Timestamp
    differences: _containers.RepeatedCompositeFieldContainer[Difference]
    def __init__(self, kind: _Optional[_Union[NoticeKind, str]] = ..., handle: _Optional[str] = ..., number: _Optional[int] = ..., seen: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., differences: _Optional[_Iterable[_Union[Difference, _Mapping]]] = ...) -> None: ...

class Difference(_message.Message):
    __slots__ = ("field", "before", "now")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    NOW_FIELD_NUMBER: _ClassVar[int]
    field: str
    before: str
    now: str
    def __init__(self, field: _Optional[str] = ..., before: _Optional[str] = ..., now: _Optional[str] = ...) -> None: ...

class Stage(_message.Message):
    __slots__ = ("name", "ms")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MS_FIELD_NUMBER: _ClassVar[int]
    name: str
    ms: float
    def __init__(self, name: _Optional[str] = ..., ms: _Optional[float] = ...) -> None: ...

class Tokens(_message.Message):
    __slots__ = ("page", "answer", "accepted", "rejected")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    page: int
    answer: int
    accepted: int
    rejected: int
    def __init__(self, page: _Optional[int] = ..., answer: _Optional[int] = ..., accepted: _Optional[int] = ..., rejected: _Optional[int] = ...) -> None: ...

class Provenance(_message.Message):
    __slots__ = ("stored", "age_s")
    STORED_FIELD_NUMBER: _ClassVar[int]
    AGE_S_FIELD_NUMBER: _ClassVar[int]
    stored: bool
    age_s: float
    def __init__(self, stored: _Optional[bool] = ..., age_s: _Optional[float] = ...) -> None: ...

class Evidence(_message.Message):
    __slots__ = ("text", "quad", "page")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    QUAD_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    text: str
    quad: _containers.RepeatedCompositeFieldContainer[Point]
    page: int
    def __init__(self, text: _Optional[str] = ..., quad: _Optional[_Iterable[_Union[Point, _Mapping]]] = ..., page: _Optional[int] = ...) -> None: ...

class Point(_message.Message):
    __slots__ = ("x", "y")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    x: float
    y: float
    def __init__(self, x: _Optional[float] = ..., y: _Optional[float] = ...) -> None: ...

class Value(_message.Message):
    __slots__ = ("money", "date", "quantity", "text", "truth", "dates")
    MONEY_FIELD_NUMBER: _ClassVar[int]
    DATE_FIELD_NUMBER: _ClassVar[int]
    QUANTITY_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TRUTH_FIELD_NUMBER: _ClassVar[int]
    DATES_FIELD_NUMBER: _ClassVar[int]
    money: Money
    date: str
    quantity: Quantity
    text: str
    truth: bool
    dates: Dates
    def __init__(self, money: _Optional[_Union[Money, _Mapping]] = ..., date: _Optional[str] = ..., quantity: _Optional[_Union[Quantity, _Mapping]] = ..., text: _Optional[str] = ..., truth: _Optional[bool] = ..., dates: _Optional[_Union[Dates, _Mapping]] = ...) -> None: ...

class Dates(_message.Message):
    __slots__ = ("readings",)
    READINGS_FIELD_NUMBER: _ClassVar[int]
    readings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, readings: _Optional[_Iterable[str]] = ...) -> None: ...

class Money(_message.Message):
    __slots__ = ("amount", "currency")
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    amount: str
    currency: str
    def __init__(self, amount: _Optional[str] = ..., currency: _Optional[str] = ...) -> None: ...

class Quantity(_message.Message):
    __slots__ = ("number", "unit", "comparison")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    COMPARISON_FIELD_NUMBER: _ClassVar[int]
    number: str
    unit: str
    comparison: str
    def __init__(self, number: _Optional[str] = ..., unit: _Optional[str] = ..., comparison: _Optional[str] = ...) -> None: ...

class PutCaptureRequest(_message.Message):
    __slots__ = ("chunk",)
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    chunk: bytes
    def __init__(self, chunk: _Optional[bytes] = ...) -> None: ...

class PutCaptureResponse(_message.Message):
    __slots__ = ("handle", "pages", "media_type", "size")
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    PAGES_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    handle: str
    pages: int
    media_type: str
    size: int
    def __init__(self, handle: _Optional[str] = ..., pages: _Optional[int] = ..., media_type: _Optional[str] = ..., size: _Optional[int] = ...) -> None: ...

class GetInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetInfoResponse(_message.Message):
    __slots__ = ("version", "fingerprint", "models", "limits", "started")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    MODELS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    version: str
    fingerprint: str
    models: _containers.RepeatedCompositeFieldContainer[Model]
    limits: Limits
    started: _timestamp_pb2.Timestamp
    def __init__(self, version: _Optional[str] = ..., fingerprint: _Optional[str] = ..., models: _Optional[_Iterable[_Union[Model, _Mapping]]] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., started: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Model(_message.Message):
    __slots__ = ("role", "name", "fingerprint", "device")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    role: str
    name: str
    fingerprint: str
    device: str
    def __init__(self, role: _Optional[str] = ..., name: _Optional[str] = ..., fingerprint: _Optional[str] = ..., device: _Optional[str] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("max_bytes", "max_pixels", "min_side", "max_ratio", "max_question_chars", "max_tokens", "max_deadline_s", "max_message_bytes", "media_types", "max_pages")
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_PIXELS_FIELD_NUMBER: _ClassVar[int]
    MIN_SIDE_FIELD_NUMBER: _ClassVar[int]
    MAX_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_QUESTION_CHARS_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MAX_DEADLINE_S_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPES_FIELD_NUMBER: _ClassVar[int]
    MAX_PAGES_FIELD_NUMBER: _ClassVar[int]
    max_bytes: int
    max_pixels: int
    min_side: int
    max_ratio: int
    max_question_chars: int
    max_tokens: int
    max_deadline_s: float
    max_message_bytes: int
    media_types: _containers.RepeatedScalarFieldContainer[str]
    max_pages: int
    def __init__(self, max_bytes: _Optional[int] = ..., max_pixels: _Optional[int] = ..., min_side: _Optional[int] = ..., max_ratio: _Optional[int] = ..., max_question_chars: _Optional[int] = ..., max_tokens: _Optional[int] = ..., max_deadline_s: _Optional[float] = ..., max_message_bytes: _Optional[int] = ..., media_types: _Optional[_Iterable[str]] = ..., max_pages: _Optional[int] = ...) -> None: ...

class FeedbackRequest(_message.Message):
    __slots__ = ("answer_id", "judgement", "correction")
    ANSWER_ID_FIELD_NUMBER: _ClassVar[int]
    JUDGEMENT_FIELD_NUMBER: _ClassVar[int]
    CORRECTION_FIELD_NUMBER: _ClassVar[int]
    answer_id: str
    judgement: Judgement
    correction: str
    def __init__(self, answer_id: _Optional[str] = ..., judgement: _Optional[_Union[Judgement, str]] = ..., correction: _Optional[str] = ...) -> None: ...

class FeedbackResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
