-- A database as the first layout wrote it. It never changes: every later edge_clm must open it.
CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied REAL NOT NULL) STRICT;
INSERT INTO migrations VALUES (1, 'captures and their views', 1750000000.0);
CREATE TABLE tenants (name TEXT PRIMARY KEY, key BLOB NOT NULL CHECK (length(key) = 32), created REAL NOT NULL) STRICT;
INSERT INTO tenants VALUES ('clinic', X'000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 1750000000.0);
CREATE TABLE captures (
    tenant TEXT NOT NULL REFERENCES tenants (name), handle TEXT NOT NULL, bytes_sha256 TEXT NOT NULL,
    media_type TEXT NOT NULL, pages INTEGER NOT NULL, size INTEGER NOT NULL, kept INTEGER NOT NULL,
    created REAL NOT NULL, last_used REAL NOT NULL,
    PRIMARY KEY (tenant, handle), UNIQUE (tenant, bytes_sha256)) STRICT;
CREATE INDEX captures_kept ON captures (last_used, handle, tenant, size) WHERE kept;
INSERT INTO captures VALUES ('clinic', 'c_old', 'ab', 'image/jpeg', 1, 4, 0, 1750000000.0, 1750000000.0);
CREATE TABLE views (
    tenant TEXT NOT NULL, handle TEXT NOT NULL, number INTEGER NOT NULL, pixels_sha256 TEXT NOT NULL,
    width INTEGER NOT NULL, height INTEGER NOT NULL, page_key TEXT NOT NULL,
    PRIMARY KEY (tenant, handle, number),
    FOREIGN KEY (tenant, handle) REFERENCES captures (tenant, handle) ON DELETE CASCADE) STRICT;
CREATE INDEX views_page ON views (tenant, page_key);
INSERT INTO views VALUES ('clinic', 'c_old', 1, 'cd', 1600, 1200, 'ef');
