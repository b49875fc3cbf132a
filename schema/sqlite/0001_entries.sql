-- Version 1: the newest entry of every key, named facts, and what the store is for.

-- Exactly one row. `revision` is the newest one ever assigned, which compaction may have removed from `entries`.
CREATE TABLE store (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  store_id    TEXT    NOT NULL,
  epoch       INTEGER NOT NULL,
  revision    INTEGER NOT NULL,
  mode        TEXT    NOT NULL,
  zone        TEXT    NOT NULL,
  environment TEXT    NOT NULL
) STRICT;

CREATE TABLE facts (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The revision is the row id: rows lie in the order in which a start reads them, a change appends one, and large specs
-- stay out of the index. A tombstone (live = 0) has empty texts; its presences say who may still hold the resource.
CREATE TABLE entries (
  revision       INTEGER PRIMARY KEY,
  type           TEXT    NOT NULL,
  mesh           TEXT    NOT NULL,
  name           TEXT    NOT NULL,
  live           INTEGER NOT NULL CHECK (live IN (0, 1)),
  labels         TEXT    NOT NULL,  -- JSON object
  spec           BLOB    NOT NULL,
  status         TEXT    NOT NULL,
  created        INTEGER NOT NULL,  -- nanoseconds since 1970, UTC
  modified       INTEGER NOT NULL,  -- nanoseconds since 1970, UTC
  source         TEXT    NOT NULL,
  source_version TEXT    NOT NULL,
  presences      TEXT    NOT NULL,  -- JSON: [[since, audience, wire name], ...], oldest first
  UNIQUE (type, mesh, name)
) STRICT;
