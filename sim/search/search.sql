-- What `fairway search` keeps of a search, besides its runs; results/README.md explains the words.
CREATE TABLE IF NOT EXISTS search (
    id        INTEGER PRIMARY KEY,
    key       TEXT NOT NULL UNIQUE,         -- hash of the section and the scenarios
    scenario  TEXT NOT NULL,                -- the first one's name
    section   TEXT NOT NULL,                -- in one line
    objective TEXT NOT NULL,                -- in words
    maximise  INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS search_variable (
    search      INTEGER NOT NULL REFERENCES search,
    variable    INTEGER NOT NULL,           -- from 0
    name        TEXT NOT NULL,
    correlation REAL,                       -- with the objective, of ranks, over the samples
    share       REAL,                       -- of the objective's variance over the samples
    PRIMARY KEY (search, variable)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_target (
    search   INTEGER NOT NULL REFERENCES search,
    target   INTEGER NOT NULL,              -- from 0
    role     TEXT NOT NULL,                 -- figure, metric, limit
    scenario TEXT NOT NULL,
    policy   TEXT NOT NULL,
    against  TEXT NOT NULL,
    metric   TEXT NOT NULL,
    scope    TEXT NOT NULL,
    "is"     TEXT NOT NULL,                 -- = < > ~, or ? where nothing is said
    value    REAL NOT NULL,
    within   REAL NOT NULL,
    weight   REAL NOT NULL,
    source   TEXT NOT NULL,
    PRIMARY KEY (search, target)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_set (
    search    INTEGER NOT NULL REFERENCES search,
    "set"     INTEGER NOT NULL,             -- from 1, in the order tried
    phase     TEXT NOT NULL,                -- middle, end, sample, simplex, fresh, size, race
    of        INTEGER,                      -- fresh: the set that is judged again
    objective REAL,                         -- of a size: its nodes, or its cost an hour
    excess    REAL,                         -- over the limits; 0: all are kept
    error     TEXT,                         -- why it has no objective
    PRIMARY KEY (search, "set")
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_value (
    search   INTEGER NOT NULL REFERENCES search,
    "set"    INTEGER NOT NULL,
    variable INTEGER NOT NULL,
    value    TEXT NOT NULL,
    at       REAL NOT NULL,                 -- on the variable's side of the unit cube
    PRIMARY KEY (search, "set", variable)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_ours (
    search INTEGER NOT NULL REFERENCES search,
    "set"  INTEGER NOT NULL,
    target INTEGER NOT NULL,
    ours   REAL NOT NULL,
    error  REAL NOT NULL,                   -- of a figure or statement: how far off; else 0
    PRIMARY KEY (search, "set", target)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_run (
    search INTEGER NOT NULL REFERENCES search,
    "set"  INTEGER NOT NULL,
    run    INTEGER NOT NULL,                -- id of table run
    PRIMARY KEY (search, "set", run)
) STRICT, WITHOUT ROWID;
-- Of sizes and races.
CREATE TABLE IF NOT EXISTS search_interval (
    search INTEGER NOT NULL REFERENCES search,
    "set"  INTEGER NOT NULL,
    target INTEGER NOT NULL,
    mean   REAL NOT NULL,
    lo     REAL,                            -- NULL: one seed alone, or its run is too short
    hi     REAL,
    level  REAL NOT NULL,                   -- of the interval: 0.95, or more where it is one of several
    PRIMARY KEY (search, "set", target)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_verdict (
    search  INTEGER NOT NULL REFERENCES search,
    "set"   INTEGER NOT NULL,
    verdict TEXT NOT NULL,                  -- kept, broken, best, beaten, open
    seeds   INTEGER NOT NULL,               -- that it has met
    by      INTEGER,                        -- the set that it was compared with, in the first objective:
    diff    REAL,                           -- its own less that set's, in the mean over seeds
    lo      REAL,
    hi      REAL,
    PRIMARY KEY (search, "set")
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_answer (
    search  INTEGER NOT NULL REFERENCES search,
    load    REAL NOT NULL,                  -- times that of the scenario
    "set"   INTEGER,                        -- the answer; NULL: there is none
    fresh   INTEGER,                        -- it again, on fresh seeds
    broken  INTEGER,                        -- of a size: the dearest cheaper one that breaks a promise
    least   REAL,                           -- of a size: none that costs less keeps; NULL: none does at all
    decided INTEGER NOT NULL,
    words   TEXT NOT NULL,
    PRIMARY KEY (search, load)
) STRICT, WITHOUT ROWID;
