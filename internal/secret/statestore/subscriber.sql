CREATE TABLE subscriber (
  name  TEXT PRIMARY KEY,
  token INTEGER NOT NULL, -- of the newest claim
  until INTEGER NOT NULL, -- microseconds since 1970; nobody else may claim it before
  state BLOB
) STRICT, WITHOUT ROWID;
