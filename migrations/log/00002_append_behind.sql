-- An append that is made only if another one of its group is: the end of a run, and what its workflow makes of it.

-- +goose Up

-- As the append_all before, which processes of an earlier version go on with. For each append, behind is the number of
-- one before it that it follows, 0 for none: where that one is not appended, it is not either.
-- +goose StatementBegin
CREATE FUNCTION kintsugi.append_all(
    names text[], expected bigint[], counts integer[], behind integer[],
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
        IF behind[i] > 0 AND NOT done[behind[i]] THEN
            done[i] := false;
        ELSIF expected[i] < 0 THEN
            INSERT INTO kintsugi.stream (revision, position, name) VALUES (counts[i] - 1, last, names[i])
                ON CONFLICT (name) DO NOTHING;
            done[i] := FOUND;
        ELSE
            UPDATE kintsugi.stream SET revision = expected[i] + counts[i], position = last
                WHERE name = names[i] AND revision = expected[i] AND position < first;
            done[i] := FOUND;
        END IF;
        result[i] := CASE WHEN done[i] THEN last ELSE 0 END;
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
