-- Number 1: the games of Try 4. Unlike the log of a match, players may delete what they played.
CREATE TABLE game (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    way TEXT NOT NULL CHECK (way IN ('screen', 'camera')),
    began REAL NOT NULL,
    rules TEXT NOT NULL CHECK (json_valid(rules)),
    ended REAL,
    ending TEXT CHECK (ending IN ('over', 'cleared')),
    laid TEXT NOT NULL DEFAULT '',
    CHECK ((ended IS NULL) = (ending IS NULL))
) STRICT;

CREATE TABLE turn (
    game INTEGER NOT NULL REFERENCES game (number) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number > 0),
    time REAL NOT NULL,
    tiles TEXT NOT NULL,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE preference (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL CHECK (json_valid(value))
) STRICT;
