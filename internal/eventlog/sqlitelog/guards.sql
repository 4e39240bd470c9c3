-- What was appended stays. Guards that somebody dropped are put back at the next open, and told.
CREATE TRIGGER IF NOT EXISTS event_no_update BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
CREATE TRIGGER IF NOT EXISTS event_no_delete BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
CREATE TRIGGER IF NOT EXISTS stream_no_update BEFORE UPDATE ON stream
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
CREATE TRIGGER IF NOT EXISTS stream_no_delete BEFORE DELETE ON stream
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
