"""How much is kept of each tenant."""

from __future__ import annotations

from edge_clm.memory.database import Database

_COUNTED = (
    "captures",
    "captures_kept",
    "capture_bytes",
    "pages",
    "snapshots",
    "snapshots_disputed",
)
# One walk over each tenant's part of every table: the tenant comes first in their keys.
_BY_TENANT = """SELECT name,
    (SELECT count(*) FROM captures WHERE tenant = name),
    (SELECT count(*) FROM captures WHERE tenant = name AND kept),
    (SELECT coalesce(sum(size), 0) FROM captures WHERE tenant = name AND kept),
    (SELECT count(*) FROM pages WHERE tenant = name),
    (SELECT count(*) FROM snapshots WHERE tenant = name),
    (SELECT count(*) FROM snapshots WHERE tenant = name AND disputed)
    FROM tenants ORDER BY name"""


async def by_tenant(database: Database) -> dict[str, dict[str, int]]:
    """Rows of each kind and bytes of kept files for each tenant, by name."""
    rows = await database.read(_BY_TENANT)
    return {str(name): dict(zip(_COUNTED, map(int, counts), strict=True)) for name, *counts in rows}
