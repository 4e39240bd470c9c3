CREATE TABLE delivery (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  receiver TEXT NOT NULL,
  at       INTEGER NOT NULL, -- microseconds since 1970
  event    TEXT NOT NULL,
  stream   TEXT NOT NULL,
  revision INTEGER NOT NULL,
  type     TEXT NOT NULL,
  lane     TEXT NOT NULL,
  by_hand  TEXT NOT NULL,
  nth      INTEGER NOT NULL,
  status   INTEGER NOT NULL,
  error    TEXT NOT NULL,
  answer   TEXT NOT NULL,
  took     INTEGER NOT NULL, -- microseconds
  next     INTEGER NOT NULL, -- microseconds since 1970, 0 for never
  failed   INTEGER NOT NULL AS (error <> '') STORED
) STRICT;
CREATE INDEX delivery_of ON delivery (receiver, failed, id);
CREATE INDEX delivery_event ON delivery (receiver, event, id);
CREATE INDEX delivery_lane ON delivery (lane);
CREATE INDEX delivery_at ON delivery (at);
