CREATE TABLE secret (
  name        TEXT NOT NULL,
  workflow    TEXT NOT NULL, -- that may use it; empty for all
  hosts       TEXT NOT NULL, -- JSON
  set_at      INTEGER NOT NULL, -- microseconds since 1970
  wrapped_key BLOB NOT NULL,
  sealed      BLOB NOT NULL,
  PRIMARY KEY (name, workflow)
) STRICT, WITHOUT ROWID;
