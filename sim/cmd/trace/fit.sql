-- What `fairway trace fit -d` keeps of a fit; traces/README.md explains the figures.
CREATE TABLE IF NOT EXISTS fit (
    id    INTEGER PRIMARY KEY,
    model TEXT NOT NULL UNIQUE,             -- the file as it was named
    trace TEXT NOT NULL,                    -- hash of its content
    draws INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS fit_figure (
    fit      INTEGER NOT NULL REFERENCES fit,
    figure   TEXT NOT NULL,
    unit     TEXT NOT NULL,
    trace    REAL NOT NULL,                 -- the figure, or the mean of its distribution
    model    REAL,                          -- mean of the draws
    least    REAL,
    most     REAL,
    distance REAL,                          -- of the distributions, mean of the draws; NULL: it is one number
    halves   REAL,                          -- of those of the trace's two halves
    verdict  TEXT NOT NULL,                 -- nearer, further; within, above, below
    PRIMARY KEY (fit, figure)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fit_hour (
    fit      INTEGER NOT NULL REFERENCES fit,
    of       TEXT NOT NULL,                 -- trace, or model: its first draw
    hour     INTEGER NOT NULL,              -- from the first arrival
    arrivals REAL NOT NULL,
    demand   REAL NOT NULL,                 -- mean cards (cores where no job has any) if all jobs start at once
    PRIMARY KEY (fit, of, hour)
) STRICT, WITHOUT ROWID;
