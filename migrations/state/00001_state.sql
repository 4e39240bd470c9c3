-- +goose Up

-- What nodes share beside the log and what is not made from it.

-- A secret's value is encrypted by the program; what it is bound to is authenticated with it.
CREATE TABLE kintsugi_state.secret (
  name        text        NOT NULL,
  workflow    text        NOT NULL, -- that may use it; empty for all
  hosts       text[]      NOT NULL,
  set_at      timestamptz NOT NULL,
  wrapped_key bytea       NOT NULL,
  sealed      bytea       NOT NULL,
  PRIMARY KEY (name, workflow)
);
