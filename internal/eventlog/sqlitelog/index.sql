-- Where the ids of a long stream are, up to its revision in indexed_stream; those of its newest events are
-- looked for in event itself. An index of every id would be written with each append, and halve them:
-- these are filled with thousands of ids at a time. They follow from the events, so they are no part of
-- the format: a program that does not know them leaves them behind, and one that does brings them up to date.
CREATE TABLE IF NOT EXISTS indexed_stream (
  stream   INTEGER PRIMARY KEY,
  revision INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS indexed_id (
  stream   INTEGER NOT NULL,
  id       BLOB NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (stream, id)
) STRICT, WITHOUT ROWID;
-- The ids of the events of a stream since its note before, up to a revision: 8 bytes of each, as id.go makes them.
-- A process that comes to a stream needs all its ids, and would find the events of an old one all over the file.
-- As the index, notes follow from the events, and may be missing.
CREATE TABLE IF NOT EXISTS noted_ids (
  place INTEGER PRIMARY KEY, -- 1024 * the stream + the revision: one number finds a row with the fewest pages
  ids   BLOB NOT NULL
) STRICT;
