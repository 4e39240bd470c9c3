-- +goose Up

-- How far external systems have been told of events, and which node tells them.
CREATE TABLE kintsugi_state.subscriber (
  name  text        PRIMARY KEY,
  token bigint      NOT NULL, -- of the newest claim
  until timestamptz NOT NULL, -- nobody else may claim it before
  state bytea
);
