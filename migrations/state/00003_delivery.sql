-- +goose Up

-- Each try to have an external system take an event, of each system the newest.
CREATE TABLE kintsugi_state.delivery (
  id       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  receiver text        NOT NULL,
  at       timestamptz NOT NULL,
  event    text        NOT NULL,
  stream   text        NOT NULL,
  revision bigint      NOT NULL,
  type     text        NOT NULL,
  lane     text        NOT NULL,
  by_hand  text        NOT NULL,
  nth      integer     NOT NULL,
  status   integer     NOT NULL,
  error    text        NOT NULL,
  answer   text        NOT NULL,
  took     bigint      NOT NULL, -- microseconds
  next     timestamptz, -- NULL for never
  failed   boolean     NOT NULL GENERATED ALWAYS AS (error <> '') STORED
);
CREATE INDEX delivery_of ON kintsugi_state.delivery (receiver, failed, id);
CREATE INDEX delivery_event ON kintsugi_state.delivery (receiver, event, id);
CREATE INDEX delivery_lane ON kintsugi_state.delivery (lane);
CREATE INDEX delivery_at ON kintsugi_state.delivery (at);
