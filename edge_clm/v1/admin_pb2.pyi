import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ExplainRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class ExplainResponse(_message.Message):
    __slots__ = ("request_id", "answer_id", "tenant", "method", "given", "serve_mode", "reasons", "stages")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ANSWER_ID_FIELD_NUMBER: _ClassVar[int]
    TENANT_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    SERVE_MODE_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    answer_id: str
    tenant: str
    method: str
    given: _timestamp_pb2.Timestamp
    serve_mode: str
    reasons: _containers.RepeatedCompositeFieldContainer[Reason]
    stages: _containers.RepeatedCompositeFieldContainer[Spent]
    def __init__(self, request_id: _Optional[str] = ..., answer_id: _Optional[str] = ..., tenant: _Optional[str] = ..., method: _Optional[str] = ..., given: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., serve_mode: _Optional[str] = ..., reasons: _Optional[_Iterable[_Union[Reason, _Mapping]]] = ..., stages: _Optional[_Iterable[_Union[Spent, _Mapping]]] = ...) -> None: ...

class Reason(_message.Message):
    __slots__ = ("step", "outcome", "detail")
    STEP_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    step: str
    outcome: str
    detail: str
    def __init__(self, step: _Optional[str] = ..., outcome: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class Spent(_message.Message):
    __slots__ = ("name", "ms")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MS_FIELD_NUMBER: _ClassVar[int]
    name: str
    ms: float
    def __init__(self, name: _Optional[str] = ..., ms: _Optional[float] = ...) -> None: ...

class StatsRequest(_message.Message):
    __slots__ = ("by_tenant",)
    BY_TENANT_FIELD_NUMBER: _ClassVar[int]
    by_tenant: bool
    def __init__(self, by_tenant: _Optional[bool] = ...) -> None: ...

class StatsResponse(_message.Message):
    __slots__ = ("version", "started", "uptime_s", "engine", "answering", "decoding", "breaker", "kept", "tenants", "calls", "certificate_until")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    UPTIME_S_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    ANSWERING_FIELD_NUMBER: _ClassVar[int]
    DECODING_FIELD_NUMBER: _ClassVar[int]
    BREAKER_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    TENANTS_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    CERTIFICATE_UNTIL_FIELD_NUMBER: _ClassVar[int]
    version: str
    started: _timestamp_pb2.Timestamp
    uptime_s: float
    engine: EngineStats
    answering: QueueStats
    decoding: QueueStats
    breaker: BreakerStats
    kept: KeptStats
    tenants: _containers.RepeatedCompositeFieldContainer[TenantStats]
    calls: _containers.RepeatedCompositeFieldContainer[CallStats]
    certificate_until: _timestamp_pb2.Timestamp
    def __init__(self, version: _Optional[str] = ..., started: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., uptime_s: _Optional[float] = ..., engine: _Optional[_Union[EngineStats, _Mapping]] = ..., answering: _Optional[_Union[QueueStats, _Mapping]] = ..., decoding: _Optional[_Union[QueueStats, _Mapping]] = ..., breaker: _Optional[_Union[BreakerStats, _Mapping]] = ..., kept: _Optional[_Union[KeptStats, _Mapping]] = ..., tenants: _Optional[_Iterable[_Union[TenantStats, _Mapping]]] = ..., calls: _Optional[_Iterable[_Union[CallStats, _Mapping]]] = ..., certificate_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class EngineStats(_message.Message):
    __slots__ = ("ready", "restarts", "silent_s")
    READY_FIELD_NUMBER: _ClassVar[int]
    RESTARTS_FIELD_NUMBER: _ClassVar[int]
    SILENT_S_FIELD_NUMBER: _ClassVar[int]
    ready: bool
    restarts: int
    silent_s: float
    def __init__(self, ready: _Optional[bool] = ..., restarts: _Optional[int] = ..., silent_s: _Optional[float] = ...) -> None: ...

class QueueStats(_message.Message):
    __slots__ = ("waiting", "running", "expected_wait_s")
    WAITING_FIELD_NUMBER: _ClassVar[int]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_WAIT_S_FIELD_NUMBER: _ClassVar[int]
    waiting: int
    running: int
    expected_wait_s: float
    def __init__(self, waiting: _Optional[int] = ..., running: _Optional[int] = ..., expected_wait_s: _Optional[float] = ...) -> None: ...

class BreakerStats(_message.Message):
    __slots__ = ("reading_stopped", "writing_stopped", "faults")
    READING_STOPPED_FIELD_NUMBER: _ClassVar[int]
    WRITING_STOPPED_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    reading_stopped: bool
    writing_stopped: bool
    faults: int
    def __init__(self, reading_stopped: _Optional[bool] = ..., writing_stopped: _Optional[bool] = ..., faults: _Optional[int] = ...) -> None: ...

class KeptStats(_message.Message):
    __slots__ = ("tenants", "captures", "captures_kept", "capture_bytes", "views", "pages", "snapshots", "snapshots_disputed", "feedback", "database_bytes", "wal_bytes", "anchors", "adoptions")
    TENANTS_FIELD_NUMBER: _ClassVar[int]
    CAPTURES_FIELD_NUMBER: _ClassVar[int]
    CAPTURES_KEPT_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_BYTES_FIELD_NUMBER: _ClassVar[int]
    VIEWS_FIELD_NUMBER: _ClassVar[int]
    PAGES_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOTS_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOTS_DISPUTED_FIELD_NUMBER: _ClassVar[int]
    FEEDBACK_FIELD_NUMBER: _ClassVar[int]
    DATABASE_BYTES_FIELD_NUMBER: _ClassVar[int]
    WAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    ANCHORS_FIELD_NUMBER: _ClassVar[int]
    ADOPTIONS_FIELD_NUMBER: _ClassVar[int]
    tenants: int
    captures: int
    captures_kept: int
    capture_bytes: int
    views: int
    pages: int
    snapshots: int
    snapshots_disputed: int
    feedback: int
    database_bytes: int
    wal_bytes: int
    anchors: int
    adoptions: int
    def __init__(self, tenants: _Optional[int] = ..., captures: _Optional[int] = ..., captures_kept: _Optional[int] = ..., capture_bytes: _Optional[int] = ..., views: _Optional[int] = ..., pages: _Optional[int] = ..., snapshots: _Optional[int] = ..., snapshots_disputed: _Optional[int] = ..., feedback: _Optional[int] = ..., database_bytes: _Optional[int] = ..., wal_bytes: _Optional[int] = ..., anchors: _Optional[int] = ..., adoptions: _Optional[int] = ...) -> None: ...

class TenantStats(_message.Message):
    __slots__ = ("tenant", "captures", "captures_kept", "capture_bytes", "pages", "snapshots", "snapshots_disputed")
    TENANT_FIELD_NUMBER: _ClassVar[int]
    CAPTURES_FIELD_NUMBER: _ClassVar[int]
    CAPTURES_KEPT_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_BYTES_FIELD_NUMBER: _ClassVar[int]
    PAGES_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOTS_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOTS_DISPUTED_FIELD_NUMBER: _ClassVar[int]
    tenant: str
    captures: int
    captures_kept: int
    capture_bytes: int
    pages: int
    snapshots: int
    snapshots_disputed: int
    def __init__(self, tenant: _Optional[str] = ..., captures: _Optional[int] = ..., captures_kept: _Optional[int] = ..., capture_bytes: _Optional[int] = ..., pages: _Optional[int] = ..., snapshots: _Optional[int] = ..., snapshots_disputed: _Optional[int] = ...) -> None: ...

class CallStats(_message.Message):
    __slots__ = ("method", "code", "count")
    METHOD_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    method: str
    code: str
    count: int
    def __init__(self, method: _Optional[str] = ..., code: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...
