"""Every error that a caller can meet, each with a stable reason, a gRPC status and a remedy.

EdgeClmError
├── InvalidInput                 INVALID_ARGUMENT
│   ├── RequestInvalid           REQUEST_INVALID
│   ├── ImageMissing             IMAGE_MISSING
│   ├── ImageTooManyBytes        IMAGE_TOO_MANY_BYTES
│   ├── ImageTooManyPixels       IMAGE_TOO_MANY_PIXELS
│   ├── ImageTruncated           IMAGE_TRUNCATED
│   ├── ImageNotRecognised       IMAGE_NOT_RECOGNISED
│   ├── ImageShapeUnusable       IMAGE_SHAPE_UNUSABLE
│   ├── PdfEncrypted             PDF_ENCRYPTED
│   ├── NoSuchPage               NO_SUCH_PAGE
│   ├── DocumentTooLong          DOCUMENT_TOO_LONG
│   ├── QuestionMissing          QUESTION_MISSING
│   └── QuestionTooLong          QUESTION_TOO_LONG
├── NotFound                     NOT_FOUND
│   ├── HandleUnknown            HANDLE_UNKNOWN
│   ├── AnswerUnknown            ANSWER_UNKNOWN
│   └── AccountUnknown           ACCOUNT_UNKNOWN
├── Unauthenticated              UNAUTHENTICATED
│   ├── TokenMissing             TOKEN_MISSING
│   ├── TokenUnknown             TOKEN_UNKNOWN
│   ├── CertificateRefused       CERTIFICATE_REFUSED
│   └── TenantsDiffer            TENANTS_DIFFER
├── RoleTooLow                   PERMISSION_DENIED: ROLE_TOO_LOW
├── Exhausted                    RESOURCE_EXHAUSTED
│   ├── QueueFull                QUEUE_FULL
│   ├── TenantQueueFull          TENANT_QUEUE_FULL
│   ├── DeadlineTooShort         DEADLINE_TOO_SHORT
│   └── MemoryExhausted          MEMORY_EXHAUSTED
├── DeadlineExceeded             DEADLINE_EXCEEDED
├── Cancelled                    CANCELLED
├── Unavailable                  UNAVAILABLE
│   ├── Draining                 DRAINING
│   ├── NotReady                 NOT_READY
│   ├── EngineLost               ENGINE_LOST
│   │   ├── DeviceFault          DEVICE_FAULT
│   │   └── EngineHung           ENGINE_HUNG
│   ├── StoreUnavailable         STORE_UNAVAILABLE
│   └── DiskFull                 DISK_FULL
├── Unready                      FAILED_PRECONDITION
│   ├── ConfigInvalid            CONFIG_INVALID
│   ├── DeviceMissing            DEVICE_MISSING
│   ├── ModelMissing             MODEL_MISSING
│   ├── ModelDamaged             MODEL_DAMAGED
│   ├── PullFailed               PULL_FAILED
│   ├── AddressUnsafe            ADDRESS_UNSAFE
│   ├── AddressTaken             ADDRESS_TAKEN
│   ├── CertificateUnusable      CERTIFICATE_UNUSABLE
│   └── CapturesNotKept          CAPTURES_NOT_KEPT
└── InternalFault                INTERNAL
    └── PageStateGone            PAGE_STATE_GONE
"""

from __future__ import annotations

from typing import ClassVar


class EdgeClmError(Exception):
    """Base of every error with a stable reason; the message says what was met, the remedy what to do."""

    reason: ClassVar[str] = "INTERNAL"
    code: ClassVar[str] = "INTERNAL"
    remedy: ClassVar[str] = "Report the id in this message to whoever runs the daemon."
    exit_code: ClassVar[int] = 1
    """What a process that it ends exits with; docs/operations.md has the whole list."""

    def __init__(
        self, message: str, *, field: str = "", retry_after_s: float | None = None
    ) -> None:
        """`field` names the offending request field, `retry_after_s` (seconds) when to come back."""
        super().__init__(message)
        self.message = message
        self.field = field
        self.retry_after_s = retry_after_s

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross the border of the engine's process whole."""
        return _rebuild, (type(self), self.message, self.field, self.retry_after_s)


def _rebuild(
    kind: type[EdgeClmError], message: str, field: str, retry_after_s: float | None
) -> EdgeClmError:
    return kind(message, field=field, retry_after_s=retry_after_s)


class InvalidInput(EdgeClmError):
    """The request cannot be served as it stands; sending it again changes nothing."""

    code = "INVALID_ARGUMENT"


class RequestInvalid(InvalidInput):
    """A field of the request has a value that means nothing."""

    reason = "REQUEST_INVALID"
    remedy = "Correct the named field."


class ImageMissing(InvalidInput):
    """Neither an image nor a handle was given, or the image has no bytes."""

    reason = "IMAGE_MISSING"
    remedy = "Send the image's bytes or a handle that PutCapture returned."


class ImageTooManyBytes(InvalidInput):
    """The image is larger than the daemon accepts."""

    reason = "IMAGE_TOO_MANY_BYTES"
    remedy = "Send a smaller file; GetInfo names the limit."


class ImageTooManyPixels(InvalidInput):
    """The image would unpack to more pixels than the daemon accepts; it was not unpacked."""

    reason = "IMAGE_TOO_MANY_PIXELS"
    remedy = "Scale the picture down; GetInfo names the limit."


class ImageTruncated(InvalidInput):
    """The file ends early or its contents are damaged."""

    reason = "IMAGE_TRUNCATED"
    remedy = "Send the file again, whole."


class ImageNotRecognised(InvalidInput):
    """The bytes are no picture or document that the daemon can read."""

    reason = "IMAGE_NOT_RECOGNISED"
    remedy = "Send JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC, AVIF or PDF."


class ImageShapeUnusable(InvalidInput):
    """The picture is too small or too narrow to be a page."""

    reason = "IMAGE_SHAPE_UNUSABLE"
    remedy = "Photograph the whole page; GetInfo names the smallest side and the largest ratio."


class PdfEncrypted(InvalidInput):
    """The PDF needs a password."""

    reason = "PDF_ENCRYPTED"
    remedy = "Send the document without a password."


class NoSuchPage(InvalidInput):
    """The document has fewer pages than the request names."""

    reason = "NO_SUCH_PAGE"
    remedy = "Name a page that the document has; pages count from 1."


class DocumentTooLong(InvalidInput):
    """The document has more pages than one call reads."""

    reason = "DOCUMENT_TOO_LONG"
    remedy = "Name one page, or send fewer; GetInfo tells how many one call reads."


class QuestionMissing(InvalidInput):
    """The question is empty."""

    reason = "QUESTION_MISSING"
    remedy = "Send a question, or call Describe."


class QuestionTooLong(InvalidInput):
    """The question is longer than the daemon accepts."""

    reason = "QUESTION_TOO_LONG"
    remedy = "Shorten the question; GetInfo names the limit."


class NotFound(EdgeClmError):
    """The named thing does not exist for this tenant."""

    code = "NOT_FOUND"


class HandleUnknown(NotFound):
    """No capture of this tenant has that handle, or its pixels are no longer kept."""

    reason = "HANDLE_UNKNOWN"
    remedy = "Send the image's bytes again."


class AnswerUnknown(NotFound):
    """No answer of this tenant has that id."""

    reason = "ANSWER_UNKNOWN"
    remedy = "Use the answer_id of an answer that this tenant was given."


class AccountUnknown(NotFound):
    """No account is kept of a request or answer with that id."""

    reason = "ACCOUNT_UNKNOWN"
    remedy = "Name the x-request-id or the answer_id of one of the last 2000 answers since the daemon started."


class Unauthenticated(EdgeClmError):
    """The daemon does not know who is calling."""

    code = "UNAUTHENTICATED"


class TokenMissing(Unauthenticated):
    """The call came without a bearer token where one is needed."""

    reason = "TOKEN_MISSING"
    remedy = "Send 'authorization: Bearer TOKEN'; 'edge-clm token NAME' makes one."


class TokenUnknown(Unauthenticated):
    """The bearer token is none of those that the daemon knows."""

    reason = "TOKEN_UNKNOWN"
    remedy = "Ask whoever runs the daemon for a valid token."


class CertificateRefused(Unauthenticated):
    """The caller's certificate names no tenant that may call by it, or its time has passed."""

    reason = "CERTIFICATE_REFUSED"
    remedy = (
        "Ask whoever runs the daemon: the certificate's one common name is the tenant, and where"
        " there is a tokens file it must be listed there."
    )


class TenantsDiffer(Unauthenticated):
    """The bearer token is of another tenant than the caller's certificate."""

    reason = "TENANTS_DIFFER"
    remedy = "Send a token of the tenant that the certificate names, or none."


class RoleTooLow(EdgeClmError):
    """The caller's role may not make this call."""

    code = "PERMISSION_DENIED"
    reason = "ROLE_TOO_LOW"
    remedy = "Call with an operator's token; 'edge-clm token NAME --role operator' makes one."


class Exhausted(EdgeClmError):
    """The daemon is busy; the same request may succeed later."""

    code = "RESOURCE_EXHAUSTED"
    exit_code = 75


class QueueFull(Exhausted):
    """As many requests wait as the daemon lets wait."""

    reason = "QUEUE_FULL"
    remedy = "Retry after the hinted delay."


class TenantQueueFull(Exhausted):
    """As many requests of this tenant wait as one tenant may have waiting."""

    reason = "TENANT_QUEUE_FULL"
    remedy = "Send fewer requests at once, or retry after the hinted delay."


class DeadlineTooShort(Exhausted):
    """The request would still be waiting when its deadline passes."""

    reason = "DEADLINE_TOO_SHORT"
    remedy = "Set a later deadline, or retry after the hinted delay."


class MemoryExhausted(Exhausted):
    """The page or the model needs more memory than the machine or its GPU has free."""

    reason = "MEMORY_EXHAUSTED"
    remedy = (
        "Send a smaller picture, or retry later; whoever runs the daemon can lower"
        " model.page_tokens, model.image_pixels or model.state_bytes, or free memory."
    )


class DeadlineExceeded(EdgeClmError):
    """The request's deadline passed; its work was stopped."""

    code = "DEADLINE_EXCEEDED"
    reason = "DEADLINE_EXCEEDED"
    remedy = "Set a later deadline."


class Cancelled(EdgeClmError):
    """The caller went away; its work was stopped."""

    code = "CANCELLED"
    reason = "CANCELLED"
    remedy = "Call again."


class Unavailable(EdgeClmError):
    """The daemon cannot serve this right now; retrying is safe."""

    code = "UNAVAILABLE"
    exit_code = 75


class Draining(Unavailable):
    """The daemon is shutting down."""

    reason = "DRAINING"
    remedy = "Retry when health says SERVING."


class NotReady(Unavailable):
    """The daemon is still loading."""

    reason = "NOT_READY"
    remedy = "Retry when health says SERVING."


class EngineLost(Unavailable):
    """The process that holds the model ended; it is being started again."""

    reason = "ENGINE_LOST"
    remedy = "Retry when health says SERVING."
    exit_code = 69


class DeviceFault(EngineLost):
    """The GPU failed under the engine, whose process ended; it is being started again."""

    reason = "DEVICE_FAULT"
    remedy = "Retry when health says SERVING; if it comes again, look at the GPU and its driver."
    exit_code = 70


class EngineHung(EngineLost):
    """The engine stood still and was ended; it is being started again."""

    reason = "ENGINE_HUNG"
    remedy = (
        "Retry when health says SERVING; if it comes again, look at the GPU and its driver, or raise"
        " limits.stall_s or limits.load_s on a slow machine."
    )
    exit_code = 71


class StoreUnavailable(Unavailable):
    """The database is locked, damaged or out of reach."""

    reason = "STORE_UNAVAILABLE"
    remedy = "Retry; if it stays, run 'edge-clm doctor' on the machine."


class DiskFull(Unavailable):
    """There is no room on the disk for what has to be kept."""

    reason = "DISK_FULL"
    remedy = "Free space on the disk that holds the daemon's state."


class Unready(EdgeClmError):
    """The machine lacks something that whoever runs the daemon must provide."""

    code = "FAILED_PRECONDITION"
    exit_code = 78


class ConfigInvalid(Unready):
    """The configuration has an unknown key or a value that cannot be."""

    reason = "CONFIG_INVALID"
    remedy = "Correct the configuration; 'edge-clm config default' prints every key."


class DeviceMissing(Unready):
    """The device that the configuration names is not on this machine, or not yet."""

    reason = "DEVICE_MISSING"
    remedy = "Look at the GPU and its driver, or set model.device to cpu."
    exit_code = 75
    """A driver may still be loading when the machine starts."""


class ModelMissing(Unready):
    """Weights that the configuration names are not on this machine."""

    reason = "MODEL_MISSING"
    remedy = "Run 'edge-clm models pull'."


class ModelDamaged(Unready):
    """Weights on this machine are not what their manifest says."""

    reason = "MODEL_DAMAGED"
    remedy = "Run 'edge-clm models pull' again."


class PullFailed(Unready):
    """Weights could not be fetched, or what came is not what was asked for."""

    reason = "PULL_FAILED"
    remedy = "Check the network and the disk, then pull again."


class AddressUnsafe(Unready):
    """The configuration would open the daemon to the network without protection."""

    reason = "ADDRESS_UNSAFE"
    remedy = (
        "Listen on a loopback address or on the unix socket. server.tcp may be another address once"
        " server.tls_certificate, server.tls_key and one of server.tokens and server.tls_client_ca"
        " are set."
    )


class AddressTaken(Unready):
    """Another process listens where this one should."""

    reason = "ADDRESS_TAKEN"
    remedy = "Stop the other daemon, or configure another address."
    exit_code = 75


class CertificateUnusable(Unready):
    """A certificate or key that TLS is configured with cannot be used."""

    reason = "CERTIFICATE_UNUSABLE"
    remedy = "Put the file right, renew it, or correct the clock; see docs/operations.md."


class CapturesNotKept(Unready):
    """The file cannot be kept: it is larger than the budget for captures."""

    reason = "CAPTURES_NOT_KEPT"
    remedy = "Send the image with the question, or raise memory.capture_bytes."


class InternalFault(EdgeClmError):
    """Something failed that should not have; the log has the details under the id in the message."""


class PageStateGone(InternalFault):
    """The page state left memory before the question came; it has to be made again."""

    reason = "PAGE_STATE_GONE"
    remedy = "Send the request again."
