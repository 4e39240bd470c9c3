-- Stream names are long and repeat in two indexes: a number stands for them.
CREATE TABLE stream (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- Positions are given out by the one transaction that holds the write lock: no gaps.
-- The big columns are last, so that the others can be read without them.
CREATE TABLE event (
  pos            INTEGER PRIMARY KEY,
  stream         INTEGER NOT NULL REFERENCES stream (id),
  revision       INTEGER NOT NULL,
  schema_version INTEGER NOT NULL,
  recorded_at    INTEGER NOT NULL, -- microseconds since 1970
  id             BLOB NOT NULL,    -- the 16 bytes of the UUID
  type           TEXT NOT NULL,
  metadata       BLOB NOT NULL,
  payload        BLOB NOT NULL,
  UNIQUE (stream, revision)
) STRICT;
