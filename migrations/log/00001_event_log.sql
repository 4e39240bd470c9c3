-- The event log. Everything is in a schema of its own and named with it, so that nothing
-- depends on a search_path, which a connection pooler would not keep. The program makes the schema.
--
-- There is no Down: it could only forget events. The way back is a restored backup.

-- +goose Up

-- The clusters that this log has lived in. Transaction ids order the events, and they start
-- anew in the cluster that a dump is restored into. The base, which positions are counted
-- from, puts what is written there after everything that was there before.
CREATE TABLE kintsugi.incarnation (
    base              bigint PRIMARY KEY CHECK (base > 0),
    system_identifier bigint NOT NULL,
    timeline          text COLLATE "C" NOT NULL,
    since             timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE kintsugi.stream (
    revision bigint NOT NULL, -- of the last event
    position bigint NOT NULL, -- of the last event
    name     text COLLATE "C" PRIMARY KEY
) WITH (fillfactor = 70); -- the next version of a row finds room beside it

-- Payload and metadata are bytes: jsonb would reorder keys and rewrite numbers, and the
-- hashes of the chain are made of the bytes. The order of the columns needs no padding.
CREATE TABLE kintsugi.event (
    position       bigint PRIMARY KEY,
    revision       bigint NOT NULL,
    recorded_at    timestamptz NOT NULL DEFAULT now(),
    id             uuid NOT NULL,
    schema_version integer NOT NULL,
    stream         text COLLATE "C" NOT NULL,
    type           text COLLATE "C" NOT NULL,
    metadata       bytea NOT NULL,
    payload        bytea NOT NULL,
    UNIQUE (stream, revision),
    UNIQUE (stream, id)
);

-- +goose StatementBegin
CREATE FUNCTION kintsugi.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'kintsugi: % of table % is refused: the event log forgets nothing', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', HINT = 'Append an event that corrects.';
END $$;
-- +goose StatementEnd

CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON kintsugi.event
    FOR EACH STATEMENT EXECUTE FUNCTION kintsugi.refuse_change();
CREATE TRIGGER refuse_change BEFORE DELETE OR TRUNCATE ON kintsugi.stream
    FOR EACH STATEMENT EXECUTE FUNCTION kintsugi.refuse_change();
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON kintsugi.incarnation
    FOR EACH STATEMENT EXECUTE FUNCTION kintsugi.refuse_change();
-- Not even for a session that replicates.
ALTER TABLE kintsugi.event ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE kintsugi.stream ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE kintsugi.incarnation ENABLE ALWAYS TRIGGER refuse_change;

-- For people: payload and metadata as JSON, null where they are none.
-- +goose StatementBegin
CREATE FUNCTION kintsugi.as_json(bytes bytea) RETURNS jsonb IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
    RETURN convert_from(bytes, 'UTF8')::jsonb;
EXCEPTION WHEN data_exception OR program_limit_exceeded OR statement_too_complex THEN
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE VIEW kintsugi.event_json AS
    SELECT position, stream, revision, id, type, schema_version, recorded_at,
           kintsugi.as_json(payload) AS payload, kintsugi.as_json(metadata) AS metadata
    FROM kintsugi.event;

-- Gives the base that holds in this cluster, or fails with KT001 if the log has not been
-- written to here yet. Readers compute the watermark with it, so that it must see what the
-- statement that calls it sees: STABLE.
-- +goose StatementBegin
CREATE FUNCTION kintsugi.base() RETURNS bigint STABLE LANGUAGE plpgsql AS $$
DECLARE
    known kintsugi.incarnation;
BEGIN
    SELECT * INTO known FROM kintsugi.incarnation ORDER BY base DESC LIMIT 1;
    IF known.system_identifier IS DISTINCT FROM (SELECT system_identifier FROM pg_control_system())
        OR known.timeline IS DISTINCT FROM left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
    THEN
        RAISE EXCEPTION 'kintsugi: the event log has not been written to in this database cluster yet'
            USING ERRCODE = 'KT001';
    END IF;
    RETURN known.base;
END $$;
-- +goose StatementEnd

-- Sees to it that there is a base that holds in this cluster. Its upper 6 bits, without the sign,
-- count the epochs: a new one for each cluster, as nothing is known of its transaction ids.
-- In the same cluster on a new timeline (a standby was promoted, or an earlier moment restored)
-- ids of lost transactions are used again: as many as could be lost, 2^34, are left out.
-- +goose StatementBegin
CREATE FUNCTION kintsugi.incarnate() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    known kintsugi.incarnation;
    here  kintsugi.incarnation;
BEGIN
    LOCK TABLE kintsugi.incarnation IN SHARE ROW EXCLUSIVE MODE; -- one at a time
    SELECT system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
        INTO here.system_identifier, here.timeline FROM pg_control_system();
    SELECT * INTO known FROM kintsugi.incarnation ORDER BY base DESC LIMIT 1;
    IF known.system_identifier = here.system_identifier AND known.timeline = here.timeline THEN
        RETURN known.base;
    END IF;
    here.base := known.base + (1::bigint << 34 << 15);
    IF known.system_identifier IS DISTINCT FROM here.system_identifier
        OR (here.base & ((1::bigint << 57) - 1)) + (pg_current_xact_id()::text::bigint << 15) >= 1::bigint << 56
    THEN
        -- A dump of some of the tables may lack the newest incarnations, but not their events.
        here.base := greatest(known.base, (SELECT max(position) FROM kintsugi.event), 0) >> 57;
        IF here.base >= 63 THEN
            RAISE EXCEPTION 'kintsugi: the event log has lived in 63 database clusters, and its positions cannot tell more apart'
                USING ERRCODE = 'KT002', HINT = 'Copy the log into a new database.';
        END IF;
        here.base := (here.base + 1) << 57;
    END IF;
    INSERT INTO kintsugi.incarnation (base, system_identifier, timeline)
        VALUES (here.base, here.system_identifier, here.timeline);
    RETURN here.base;
END $$;
-- +goose StatementEnd

-- The position of the first event that this transaction appends. The base is kept in the session,
-- under the name of this very table: a server process belongs to one cluster and one timeline as long
-- as it lives, but a backup may be restored under its feet. The commit will wait for the disk,
-- whatever role, database, session or pooler have set.
-- +goose StatementBegin
CREATE FUNCTION kintsugi.first_position() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    name     text := 'kintsugi.base_' || 'kintsugi.incarnation'::regclass::oid;
    kept     text := current_setting(name, true);
    base     bigint;
    distance bigint := pg_current_xact_id()::text::bigint << 15;
BEGIN
    IF kept IS NULL OR kept = '' THEN
        kept := set_config(name, kintsugi.base()::text, false);
    END IF;
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    base := kept::bigint;
    IF (base & ((1::bigint << 57) - 1)) + distance >= 1::bigint << 57 THEN
        RAISE EXCEPTION 'kintsugi: the transaction ids of this database cluster are beyond what positions can hold'
            USING ERRCODE = 'KT003', HINT = 'Copy the log into a database of a new cluster.';
    END IF;
    RETURN base + distance;
END $$;
-- +goose StatementEnd

-- Appends one event and returns its position, or null if the stream is not at the expected revision,
-- -1 for no stream. It does what append_all does, in less time, for the one append that waits when few do.
-- +goose StatementBegin
CREATE FUNCTION kintsugi.append_one(
    stream text, expected bigint, id uuid, type text, schema_version integer, metadata bytea, payload bytea
) RETURNS bigint LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    first bigint := kintsugi.first_position();
BEGIN
    IF expected < 0 THEN
        INSERT INTO kintsugi.stream (revision, position, name) VALUES (0, first, append_one.stream)
            ON CONFLICT (name) DO NOTHING;
    ELSE
        UPDATE kintsugi.stream SET revision = expected + 1, position = first
            WHERE name = append_one.stream AND revision = expected AND position < first;
    END IF;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    INSERT INTO kintsugi.event (position, revision, id, schema_version, stream, type, metadata, payload)
        VALUES (first, expected + 1, append_one.id, append_one.schema_version, append_one.stream,
            append_one.type, append_one.metadata, append_one.payload);
    RETURN first;
END $$;
-- +goose StatementEnd

-- Makes a group of appends in one transaction and returns the position of the last event of each,
-- 0 where the stream is not at the expected revision. The first three arrays describe the appends, the others
-- their events; an owner is the number of an append, from 1.
--
-- The appends are in the order of their streams, in every process, so that no two transactions wait for each
-- other. Positions rise along a stream, by the condition on them: a transaction that got its
-- id before the one that wrote the last event gets 0, and is tried again as a new one.
--
-- Rows are looked up one by one, by index: a plan is kept for long, and one that was made when the
-- table was small would read all of it when it has grown.
-- +goose StatementBegin
CREATE FUNCTION kintsugi.append_all(
    names text[], expected bigint[], counts integer[],
    owners integer[], streams text[], revisions bigint[], ids uuid[], types text[],
    schema_versions integer[], metadatas bytea[], payloads bytea[]
) RETURNS bigint[] LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    base   bigint := kintsugi.first_position();
    first  bigint := base; -- of the append
    last   bigint;
    done   boolean[];
    result bigint[];
BEGIN
    FOR i IN 1 .. cardinality(names) LOOP
        last := first + counts[i] - 1;
        IF expected[i] < 0 THEN
            INSERT INTO kintsugi.stream (revision, position, name) VALUES (counts[i] - 1, last, names[i])
                ON CONFLICT (name) DO NOTHING;
        ELSE
            UPDATE kintsugi.stream SET revision = expected[i] + counts[i], position = last
                WHERE name = names[i] AND revision = expected[i] AND position < first;
        END IF;
        done[i] := FOUND;
        result[i] := CASE WHEN FOUND THEN last ELSE 0 END;
        first := last + 1;
    END LOOP;
    INSERT INTO kintsugi.event (position, revision, id, schema_version, stream, type, metadata, payload)
        SELECT base + n - 1, revision, id, schema_version, stream, type, metadata, payload
        FROM unnest(owners, streams, revisions, ids, types, schema_versions, metadatas, payloads)
            WITH ORDINALITY AS e (owner, stream, revision, id, type, schema_version, metadata, payload, n)
        WHERE done[owner];
    RETURN result;
END $$;
-- +goose StatementEnd
