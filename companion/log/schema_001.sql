-- Number 1: the events. A row is written once; SQLite itself refuses to change or remove one.
CREATE TABLE event (
    seq INTEGER PRIMARY KEY CHECK (seq > 0),
    time REAL NOT NULL,
    kind TEXT NOT NULL,
    origin TEXT NOT NULL,
    payload TEXT NOT NULL CHECK (json_valid(payload)),
    digest TEXT NOT NULL CHECK (length(digest) = 64)
) STRICT;

CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
BEGIN
    SELECT RAISE(ABORT, 'an event of the log is never changed');
END;

CREATE TRIGGER event_is_never_removed BEFORE DELETE ON event
BEGIN
    SELECT RAISE(ABORT, 'an event of the log is never removed');
END;

-- Also keeps INSERT OR REPLACE from overwriting a row, which fires no trigger for the row that goes.
CREATE TRIGGER event_follows_the_last BEFORE INSERT ON event
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM event)
BEGIN
    SELECT RAISE(ABORT, 'an event of the log follows the last one');
END;
