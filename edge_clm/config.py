"""Configuration: flags over environment (EDGE_CLM_SECTION__KEY) over a TOML file over defaults.

An unknown key, in the environment too, is an error that names the closest known one; nothing is dropped or guessed.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from edge_clm.errors import ConfigInvalid

MIB = 1024 * 1024
PREFIX = "EDGE_CLM_"
NO_KEYS = (
    *("ADDRESS", "CA", "CERT", "CONFIG", "DATA", "KEY", "TOKEN"),
    *("WHEELS", "WRITE_DOCS"),
)
"""Names after the prefix that other parts read: the command line, the wheels' fetcher, the tests."""


def state_home() -> Path:
    """Where the daemon keeps what must survive: $STATE_DIRECTORY under systemd, else XDG."""
    given = os.environ.get("STATE_DIRECTORY")
    if given:
        return Path(given.split(":")[0])
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "edge-clm"


def runtime_home() -> Path:
    """Where the socket lives: $RUNTIME_DIRECTORY under systemd, else XDG, else the state."""
    given = os.environ.get("RUNTIME_DIRECTORY")
    if given:
        return Path(given.split(":")[0])
    xdg = os.environ.get("XDG_RUNTIME_DIR")
    return Path(xdg) / "edge-clm" if xdg else state_home() / "run"


def models_home() -> Path:
    """Where pulled weights live unless the configuration says otherwise."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share")
    return data / "edge-clm" / "models"


def _at_home(path: str) -> str:
    return str(Path(path).expanduser()) if path.startswith("~") else path


Place = Annotated[str, AfterValidator(_at_home)]
"""A path; '~' is the home of whoever runs the daemon."""


class _Section(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, protected_namespaces=(), use_attribute_docstrings=True
    )


class Server(_Section):
    """Where the daemon listens and how it stops."""

    socket: Place = Field(default_factory=lambda: str(runtime_home() / "edge-clm.sock"))
    """Path of the unix socket; empty for none."""
    socket_mode: str = Field("0660", pattern=r"^0?[0-7]{3}$")
    """Octal permissions of the socket; who may write to it may call."""
    socket_tenant: str = "local"
    """Tenant of calls that come over the socket without a token."""
    socket_role: Literal["device", "operator"] = "operator"
    """Role of calls that come over the socket without a token: device or operator."""
    tcp: str = "127.0.0.1:50551"
    """Address and port; empty for none. Calls over it need a token or a client certificate, and an
    address beyond this machine needs TLS as well."""
    tls_certificate: Place = ""
    """PEM file of the certificate that TCP is served with, its chain after it; empty for no TLS."""
    tls_key: Place = ""
    """PEM file of that certificate's private key, without a passphrase."""
    tls_client_ca: Place = ""
    """PEM file of the authorities whose client certificates are accepted; empty for none. Where it
    is set every TCP caller needs such a certificate, and its common name is the tenant."""
    tokens: Place = ""
    """File of who may call: 'NAME SHA256-HEX [ROLE]' a line for a token, 'NAME certificate [ROLE]' for
    a client certificate; NAME is the tenant, ROLE device or operator."""
    reflection: bool = True
    """Whether the contract can be asked for by tools such as grpcurl."""
    metrics: str = ""
    """Loopback address and port for Prometheus; empty for none."""
    grace_s: float = Field(30.0, ge=0, le=600)
    """How long running calls may take to end after SIGTERM."""


class Limits(_Section):
    """What is accepted, and how much may wait."""

    max_bytes: int = Field(32 * MIB, ge=1024, le=1024 * MIB)
    """Bytes of one file."""
    max_pixels: int = Field(80_000_000, ge=10_000, le=10**10)
    """Pixels of one page."""
    min_side: int = Field(32, ge=1, le=10**6)
    """Smallest side of a page in pixels."""
    max_ratio: int = Field(60, ge=2, le=190)
    """Largest ratio of a page's sides; Qwen-VL takes none above 200."""
    max_pages: int = Field(50, ge=1, le=500)
    """Pages of a document that one call reads where it names no page."""
    search_pages: int = Field(5, ge=1, le=500)
    """How many of them, the likeliest first, a question that names no page is put to."""
    max_question_chars: int = Field(2000, ge=16, le=10**6)
    """Characters of a question."""
    max_tokens: int = Field(512, ge=1, le=10**6)
    """Tokens of an answer, whatever the caller asks for."""
    max_deadline_s: float = Field(300.0, gt=0, le=86_400)
    """Longest deadline; a call without one gets it."""
    stall_s: float = Field(180.0, gt=0, le=86_400)
    """How long a call in the engine may show no progress before the engine is started anew; longer
    than one forward pass over a picture takes, which on a CPU may be minutes for a large model."""
    load_s: float = Field(900.0, gt=0, le=86_400)
    """How long the engine may take to load its models before it is taken for hung."""
    calls: int = Field(64, ge=1)
    """How many calls are taken in at once, uploads included; each may hold a file in memory."""
    concurrency: int = Field(1, ge=1, le=16)
    """How many requests the engine works on at once."""
    queue: int = Field(64, ge=1)
    """How many requests may wait for the engine."""
    queue_per_tenant: int = Field(32, ge=1)
    """How many of them may be of one tenant."""


class Model(_Section):
    """The vision-language model."""

    name: str = "nano"
    """A model under `models`, or the path of a Qwen2-VL, Qwen2.5-VL or Qwen3-VL directory."""
    models: Place = Field(default_factory=lambda: str(models_home()))
    """Directory that 'edge-clm models pull' fills."""
    device: str = Field("auto", pattern=r"^(auto|cpu|cuda(:[0-9]+)?)$")
    """auto, cpu, cuda or cuda:N; auto takes a GPU where there is one and says so."""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """auto: float32 on a CPU, bfloat16 on a GPU."""
    threads: int = Field(0, ge=0, le=256)
    """CPU threads for the model; 0 for as many as there are cores."""
    page_tokens: int = Field(3072, ge=256)
    """Longest page state (system, image, page text); page text beyond it is cut in the open."""
    image_pixels: int = Field(0, ge=0)
    """Pixels of a page as the model sees it; 0 for what suits the model."""
    max_tokens: int = Field(96, ge=1)
    """Tokens of an answer unless the caller says otherwise."""
    describe_tokens: int = Field(160, ge=1)
    """Tokens of a description unless the caller says otherwise."""
    state_bytes: int = Field(512 * MIB, ge=0)
    """Bytes of page states kept in memory; a hard limit."""
    state_disk_bytes: int = Field(2048 * MIB, ge=0)
    """Bytes of page states kept on the disk, of pages that were asked about more than once; a hard limit,
    0 to keep none. They lie in `states` under `memory.directory`."""


class Ocr(_Section):
    """Reading the text of a page."""

    engine: Literal["onnxruntime", "paddle", "rapidocr"] = "onnxruntime"
    """What runs the PP-OCR models: PaddleOCR on onnxruntime or on paddle, or RapidOCR."""
    detector: str = "PP-OCRv6_small_det"
    """A model under `model.models`, or the path of a PP-OCR detection directory."""
    recogniser: str = "PP-OCRv6_small_rec"
    """A model under `model.models`, or the path of a PP-OCR recognition directory."""
    orienter: str = "PP-LCNet_x1_0_doc_ori"
    """The page orientation classifier, likewise; empty to read pages as they lie."""
    side: int = Field(1600, ge=320, le=4096)
    """Longest side in pixels at which text is looked for."""
    threads: int = Field(0, ge=0, le=256)
    """CPU threads for OCR; 0 for as many as there are cores."""


class Recall(_Section):
    """Knowing a page again on another photograph of it."""

    model: str = ""
    """What makes the vectors that pages are recalled by: 'docclip', which comes with edge_clm, a model
    under `model.models`, or the path of an open_clip directory; empty to take every new photograph for
    another page."""
    always: bool = False
    """Whether a photograph is compared even where, by the times measured so far, reading it anew is cheaper."""


class Memory(_Section):
    """What is kept, and how much of it."""

    directory: Place = Field(default_factory=lambda: str(state_home() / "memory"))
    """Directory of the database and of the kept files."""
    capture_bytes: int = Field(2048 * MIB, ge=0)
    """Bytes of capture files kept; the least recently used go first. A hard limit."""


class Log(_Section):
    """Logging, to standard error. Image, question, text and answer are never logged."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["auto", "json", "console"] = "auto"
    """auto: console on a terminal, JSON elsewhere."""


class Config(_Section):
    """Everything that can be configured."""

    server: Server = Field(default_factory=Server)
    limits: Limits = Field(default_factory=Limits)
    model: Model = Field(default_factory=Model)
    ocr: Ocr = Field(default_factory=Ocr)
    recall: Recall = Field(default_factory=Recall)
    memory: Memory = Field(default_factory=Memory)
    log: Log = Field(default_factory=Log)


def load(path: Path | None = None, overrides: dict[str, Any] | None = None) -> Config:
    """Reads the configuration.

    `overrides` has the file's shape and wins over the environment. Raises ConfigInvalid for a file
    that is missing or no TOML, an unknown key (naming the closest) or an impossible value.
    """
    try:
        return Config(**reduce(_merge, layers(path, overrides).values()))
    except ValidationError as error:
        raise ConfigInvalid(_explain(error)) from error


def layers(
    path: Path | None = None, overrides: dict[str, Any] | None = None
) -> dict[str, dict[str, Any]]:
    """What each source says, unchecked, weakest first; raises ConfigInvalid as `load` does."""
    return {
        "file": _read(path) if path else {},
        "environment": _environment(),
        "flag": overrides or {},
    }


def _environment() -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in os.environ.items():
        rest = name.removeprefix(PREFIX)
        if rest == name or rest in NO_KEYS:
            continue
        section, split, key = rest.lower().partition("__")
        if not split:
            raise ConfigInvalid(_explain_name(name))
        values.setdefault(section, {})[key] = value
    return values


def _explain_name(name: str) -> str:
    keys = [f"{section}__{key}" for section in _known_keys([]) for key in _known_keys([section])]
    known = [PREFIX + rest for rest in (*NO_KEYS, *map(str.upper, keys))]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
    return f"{name} in the environment is no key; the closest known one is {near[0]}"


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigInvalid(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigInvalid(f"{path} is no TOML: {error}") from error


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        sections = isinstance(old, dict) and isinstance(value, dict)
        merged[key] = _merge(old or {}, value) if sections else value
    return merged


def _explain(error: ValidationError) -> str:
    return "; ".join(_explain_one(dict(item)) for item in error.errors())


def _explain_one(item: dict[str, Any]) -> str:
    path = [str(part) for part in item["loc"]]
    if item["type"] != "extra_forbidden":
        return f"{'.'.join(path)}: {item['msg']}"
    known = _known_keys(path[:-1])
    near = difflib.get_close_matches(path[-1], known, n=1, cutoff=0.0)
    hint = f"; the closest known key is {'.'.join([*path[:-1], *near])}" if near else ""
    return f"unknown key {'.'.join(path)}{hint}"


def _known_keys(path: list[str]) -> list[str]:
    model: type[BaseModel] = Config
    for part in path:
        annotation = model.model_fields[part].annotation
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return []
        model = annotation
    return list(model.model_fields)
