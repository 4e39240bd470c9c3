-- What an event says can be taken away, and nothing else of it changes: its digest stays.

-- +goose Up

-- What is put in the place of a payload, as the program does it (eventlog.Erased).
-- +goose StatementBegin
CREATE FUNCTION kintsugi.erased(payload bytea) RETURNS bytea IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
    IF octet_length(payload) = 82 AND encode(payload, 'escape') ~ '^"erased, SHA-256 [0-9a-f]{64}"$' THEN
        RETURN payload;
    END IF;
    RETURN convert_to('"erased, SHA-256 ' || encode(sha256(payload), 'hex') || '"', 'UTF8');
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kintsugi.only_erase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.payload = kintsugi.erased(OLD.payload)
        AND (NEW.position, NEW.revision, NEW.recorded_at, NEW.id, NEW.schema_version, NEW.stream, NEW.type, NEW.metadata)
            IS NOT DISTINCT FROM (OLD.position, OLD.revision, OLD.recorded_at, OLD.id, OLD.schema_version, OLD.stream, OLD.type, OLD.metadata)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'kintsugi: % of table % is refused: the event log forgets nothing', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', HINT = 'Append an event that corrects.';
END $$;
-- +goose StatementEnd

DROP TRIGGER refuse_change ON kintsugi.event;
CREATE TRIGGER refuse_change BEFORE DELETE OR TRUNCATE ON kintsugi.event
    FOR EACH STATEMENT EXECUTE FUNCTION kintsugi.refuse_change();
CREATE TRIGGER only_erase BEFORE UPDATE ON kintsugi.event
    FOR EACH ROW EXECUTE FUNCTION kintsugi.only_erase();
ALTER TABLE kintsugi.event ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE kintsugi.event ENABLE ALWAYS TRIGGER only_erase;

-- Erases what events of streams say, between two revisions each, and returns of how many. Whoever is told so can rely on it,
-- as with an append.
-- +goose StatementBegin
CREATE FUNCTION kintsugi.erase(names text[], firsts bigint[], lasts bigint[]) RETURNS bigint LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    n     bigint;
    total bigint := 0;
BEGIN
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    FOR i IN 1 .. cardinality(names) LOOP
        UPDATE kintsugi.event SET payload = kintsugi.erased(payload)
            WHERE stream = names[i] AND revision BETWEEN firsts[i] AND lasts[i] AND payload <> kintsugi.erased(payload);
        GET DIAGNOSTICS n = ROW_COUNT;
        total := total + n;
    END LOOP;
    RETURN total;
END $$;
-- +goose StatementEnd
