"""What one check of the doctor found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, ParamSpec

from edge_clm.errors import EdgeClmError, Unavailable

P = ParamSpec("P")

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact about the machine, how bad it is, and what to do about it."""

    status: Status
    check: str
    fact: str
    remedy: str = ""
    serves_at: str = ""
    """Address of the healthy daemon that was found, if this check looked for one."""
    passing: bool = False
    """True for trouble that may be over at the next try."""


def found(check: str, look: Callable[P, Finding], /, *args: P.args, **kwargs: P.kwargs) -> Finding:
    """Runs one check so that nothing it meets keeps the others from running."""
    try:
        return look(*args, **kwargs)
    except EdgeClmError as error:
        passing = error.exit_code == Unavailable.exit_code
        return Finding("fail", check, error.message, error.remedy, passing=passing)
    except PermissionError as error:
        fact = f"{error.filename}: {error.strerror}"
        return Finding("fail", check, fact, "Let the daemon's user read it, and run doctor as it.")
    except Exception as error:
        fact = f"the check itself failed: {type(error).__name__}: {error}"
        return Finding("fail", check, fact, "Report this line to the makers of edge_clm.")
