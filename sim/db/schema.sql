-- The file of results.  results/README.md explains every word and formula.
--
-- Conventions: *_us are microseconds since the run began; -1 is never.  A run's
-- rows are written while its status is 'running'; only rows of runs that are
-- 'done' may be compared or drawn, so read the views, which show no others.
-- Nothing outside `wall` depends on the machine or on the day: two files of the
-- same runs are equal in every other table.

CREATE TABLE run (
    id            INTEGER PRIMARY KEY,
    key           TEXT NOT NULL UNIQUE,     -- hash of scenario, trace, policy, seed, version
    scenario      TEXT NOT NULL,
    title         TEXT NOT NULL,
    variant       TEXT NOT NULL,            -- what was set in the scenario, 'a.b=1, c=2'; '' when nothing was
    scenario_text TEXT NOT NULL,            -- as it was run, overrides included; without policies, seeds and sweep
    trace_path    TEXT NOT NULL,
    trace_hash    TEXT NOT NULL,
    policy        TEXT NOT NULL,            -- label
    policy_spec   TEXT NOT NULL,            -- with every parameter
    policy_source TEXT NOT NULL,
    clairvoyant   INTEGER NOT NULL CHECK (clairvoyant IN (0, 1)),
    by_count      INTEGER NOT NULL CHECK (by_count IN (0, 1)),      -- 1: the policy counts cards; their memory and cores are no limit to it
    seed          INTEGER NOT NULL,         -- 64 bits; above 2^63 it shows as negative
    version       TEXT NOT NULL,            -- of the program
    status        TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed', 'interrupted')),
    digest        TEXT,                     -- of every event, 16 hex digits
    message       TEXT                      -- why it failed
) STRICT;

CREATE TABLE job (
    run INTEGER NOT NULL REFERENCES run,
    ordinal    INTEGER NOT NULL,            -- order of arrival
    id         TEXT NOT NULL,
    user       TEXT NOT NULL,
    queue      TEXT,
    class      TEXT NOT NULL,
    model      TEXT,
    status     TEXT NOT NULL,               -- done, timeout, rejected, unfinished, failed
    counted    INTEGER NOT NULL,            -- 0: in the warm-up or cool-down, left out of job metrics
    submit_us  INTEGER NOT NULL,
    start_us   INTEGER NOT NULL,            -- first start
    end_us     INTEGER NOT NULL,
    nominal_us INTEGER NOT NULL,            -- run time alone at nominal speed
    limit_us   INTEGER NOT NULL,
    lost_us    INTEGER NOT NULL,            -- nominal work thrown away, summed over tasks
    n_tasks    INTEGER NOT NULL,
    cpu_milli  INTEGER NOT NULL,            -- over all tasks
    gpu_milli  INTEGER NOT NULL,
    n_gpu      INTEGER NOT NULL,            -- cards over all tasks
    n_preempted INTEGER NOT NULL,
    n_failed   INTEGER NOT NULL,
    ideal_whole_us INTEGER,                 -- first start to end, alone on the whole cluster; NULL: not known
    ideal_share_us INTEGER,                 -- the same on 1/m of the GPUs
    rho        REAL,                        -- finish-time fairness
    stage_wait_us INTEGER,                  -- waiting between its stages; NULL: its tasks have no order
    PRIMARY KEY (run, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempt (                      -- one stay of a task on a node
    run INTEGER NOT NULL REFERENCES run,
    ordinal  INTEGER NOT NULL,
    task     INTEGER NOT NULL,              -- index in the job
    attempt  INTEGER NOT NULL,              -- from 1
    node     INTEGER NOT NULL,
    cards    INTEGER NOT NULL,              -- bit k: the node's card k
    start_us INTEGER NOT NULL,
    end_us   INTEGER NOT NULL,
    outcome  TEXT NOT NULL,                 -- done, preempted, failed, timeout, horizon, mismatch
    is_short INTEGER NOT NULL,              -- 1: its cards lack the memory or cores asked; it held neither
    lender   INTEGER,                       -- ordinal of the workflow whose reservation it began in; NULL: none
    PRIMARY KEY (run, ordinal, task, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE call (                         -- one call of a task on an engine; with output.attempts
    run INTEGER NOT NULL REFERENCES run,
    ordinal  INTEGER NOT NULL,
    task     INTEGER NOT NULL,              -- index in the job
    call     INTEGER NOT NULL,              -- number in the task
    home     INTEGER NOT NULL,              -- the task's node
    node     INTEGER NOT NULL,              -- the engine's
    engine   TEXT NOT NULL,                 -- kind
    api      TEXT NOT NULL,
    start_us INTEGER NOT NULL,
    end_us   INTEGER NOT NULL,
    exec_us  INTEGER NOT NULL,              -- on the engine
    way_us   INTEGER NOT NULL,              -- to another node and back
    done     INTEGER NOT NULL,              -- 0: interrupted
    PRIMARY KEY (run, ordinal, task, start_us, call)
) STRICT, WITHOUT ROWID;

CREATE TABLE transfer (                     -- what a job's tasks read; three rows a job with data
    run INTEGER NOT NULL REFERENCES run,
    ordinal INTEGER NOT NULL,
    level   TEXT NOT NULL CHECK (level IN ('local', 'rack', 'cross')),
    read_b  INTEGER NOT NULL,               -- inputs of tasks that ended done
    vain_b  INTEGER NOT NULL,               -- moved for attempts that did not
    PRIMARY KEY (run, ordinal, level)
) STRICT, WITHOUT ROWID;

CREATE TABLE stage (                        -- a workflow's reservation at the start of a stage, a row a resource
    run INTEGER NOT NULL REFERENCES run,
    seq      INTEGER NOT NULL,              -- order of the starts
    resource TEXT NOT NULL,                 -- cpu (cores), gpu (cards), or a licence
    ordinal  INTEGER NOT NULL,
    stage    INTEGER NOT NULL,              -- from 1
    at_us    INTEGER NOT NULL,
    reserved REAL NOT NULL,
    need     REAL NOT NULL,
    lendable REAL NOT NULL,                 -- reserved - need
    usable   REAL NOT NULL,                 -- reserved - lent, before anything was taken back
    reclaimed REAL NOT NULL,                -- taken back from borrowers
    PRIMARY KEY (run, seq, resource)
) STRICT, WITHOUT ROWID;

CREATE TABLE series (                       -- sampled
    run INTEGER NOT NULL REFERENCES run,
    name  TEXT NOT NULL,
    at_us INTEGER NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (run, name, at_us)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric (
    run INTEGER NOT NULL REFERENCES run,
    name  TEXT NOT NULL,
    scope TEXT NOT NULL,                    -- all, class=NAME, user=NAME, engine=KIND, samples, notes
    value REAL NOT NULL,                    -- a metric that is not defined has no row
    unit  TEXT NOT NULL,
    PRIMARY KEY (run, name, scope)
) STRICT, WITHOUT ROWID;

CREATE TABLE wall (                         -- what the machine did: differs from run to run
    run INTEGER NOT NULL REFERENCES run,
    name  TEXT NOT NULL,
    value REAL NOT NULL,
    unit  TEXT NOT NULL,
    PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE note (                         -- numbers a policy asked to keep
    run INTEGER NOT NULL REFERENCES run,
    seq   INTEGER NOT NULL,
    at_us INTEGER NOT NULL,
    name  TEXT NOT NULL,
    value REAL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE decision (
    run INTEGER NOT NULL REFERENCES run,
    seq     INTEGER NOT NULL,
    at_us   INTEGER NOT NULL,
    verb    TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    task    INTEGER NOT NULL,               -- -1: the whole job
    node    INTEGER NOT NULL,               -- -1: none
    why     TEXT,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

-- The next six make it possible to replay the ledger and so to say why a job
-- waited.  `outage` and `phase` are written with attempts or decisions, the
-- others with decisions alone.

CREATE TABLE request (                      -- what a run of equal tasks of a job asks of a node, each
    run INTEGER NOT NULL REFERENCES run,
    ordinal    INTEGER NOT NULL,
    task0      INTEGER NOT NULL,            -- index of its first task; it goes on to the next row's
    gang       INTEGER NOT NULL,            -- 1: all tasks of the job start together
    cpu_milli  INTEGER NOT NULL,
    mem_b      INTEGER NOT NULL,
    n_gpu      INTEGER NOT NULL,
    gpu_milli  INTEGER NOT NULL,            -- of each card
    gpu_mem_b  INTEGER NOT NULL,            -- of each card; 0: none accounted
    gpu_types  INTEGER NOT NULL,            -- bits, named by `word`; 0: any
    need_all   INTEGER NOT NULL,            -- node labels, bits
    need_any   INTEGER NOT NULL,
    engines    TEXT,                        -- counts by kind, separated by commas; NULL: none
    exclusive  INTEGER NOT NULL,            -- 1: a whole idle node
    gpu_cores  INTEGER NOT NULL,            -- of each card; 0: none asked
    PRIMARY KEY (run, ordinal, task0)
) STRICT, WITHOUT ROWID;

CREATE TABLE cores (                        -- an attempt holds other cores than its task asked
    run INTEGER NOT NULL REFERENCES run,
    ordinal   INTEGER NOT NULL,
    task      INTEGER NOT NULL,
    attempt   INTEGER NOT NULL,
    seq       INTEGER NOT NULL,             -- from 0, in the run
    at_us     INTEGER NOT NULL,             -- from then on
    cpu_milli INTEGER NOT NULL,
    PRIMARY KEY (run, ordinal, task, attempt, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE capability (                   -- of a node, what `node` does not say
    run INTEGER NOT NULL REFERENCES run,
    node      INTEGER NOT NULL,
    labels    INTEGER NOT NULL,             -- bits
    gpu_mem_b INTEGER NOT NULL,             -- of each card; 0: unknown
    engines   TEXT,
    gpu_cores INTEGER NOT NULL,             -- of each card; 0: unknown
    max_tasks INTEGER NOT NULL,             -- at once; 0: no limit
    cpu_reserved_milli INTEGER NOT NULL,    -- of the node's CPU, what no task gets
    mem_reserved_b     INTEGER NOT NULL,
    PRIMARY KEY (run, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE word (                         -- names of bits
    run INTEGER NOT NULL REFERENCES run,
    kind TEXT NOT NULL CHECK (kind IN ('label', 'gpu_type', 'engine')),
    bit  INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (run, kind, bit)
) STRICT, WITHOUT ROWID;

CREATE TABLE outage (                       -- a node was down
    run INTEGER NOT NULL REFERENCES run,
    node    INTEGER NOT NULL,
    down_us INTEGER NOT NULL,
    up_us   INTEGER NOT NULL,               -- -1: not before the run ended
    PRIMARY KEY (run, node, down_us)
) STRICT, WITHOUT ROWID;

CREATE TABLE phase (                        -- what a task turned to, where that is more than waiting and computing
    run INTEGER NOT NULL REFERENCES run,
    ordinal INTEGER NOT NULL,
    task    INTEGER NOT NULL,               -- of a gang its first task, for all of it
    seq     INTEGER NOT NULL,               -- from 0, in the run
    at_us   INTEGER NOT NULL,
    phase   TEXT NOT NULL CHECK (phase IN ('blocked', 'ready', 'mismatch', 'restore', 'read', 'compute', 'write')),
    PRIMARY KEY (run, ordinal, task, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE repair (                       -- what was mended in the trace
    run INTEGER NOT NULL REFERENCES run,
    what       TEXT NOT NULL,
    count      INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    PRIMARY KEY (run, what)
) STRICT, WITHOUT ROWID;

CREATE TABLE node (
    run INTEGER NOT NULL REFERENCES run,
    node      INTEGER NOT NULL,
    name      TEXT NOT NULL,
    rack      TEXT NOT NULL,
    gpu_type  TEXT,
    n_gpu     INTEGER NOT NULL,
    cpu_milli INTEGER NOT NULL,
    mem_b     INTEGER NOT NULL,
    PRIMARY KEY (run, node)
) STRICT, WITHOUT ROWID;

-- A run takes its rows with it.  Not a foreign key's cascade: checking the key
-- of every row written would cost a sixth of the time.
CREATE TRIGGER run_delete BEFORE DELETE ON run BEGIN
    DELETE FROM job WHERE run = OLD.id;
    DELETE FROM attempt WHERE run = OLD.id;
    DELETE FROM call WHERE run = OLD.id;
    DELETE FROM transfer WHERE run = OLD.id;
    DELETE FROM stage WHERE run = OLD.id;
    DELETE FROM series WHERE run = OLD.id;
    DELETE FROM metric WHERE run = OLD.id;
    DELETE FROM wall WHERE run = OLD.id;
    DELETE FROM note WHERE run = OLD.id;
    DELETE FROM decision WHERE run = OLD.id;
    DELETE FROM request WHERE run = OLD.id;
    DELETE FROM cores WHERE run = OLD.id;
    DELETE FROM capability WHERE run = OLD.id;
    DELETE FROM word WHERE run = OLD.id;
    DELETE FROM outage WHERE run = OLD.id;
    DELETE FROM phase WHERE run = OLD.id;
    DELETE FROM repair WHERE run = OLD.id;
    DELETE FROM node WHERE run = OLD.id;
END;

CREATE INDEX run_question ON run (scenario, policy, seed);

-- Finished runs.  Of several with the same question and answer (say of two
-- versions of the program) the latest.
CREATE VIEW v_run AS
SELECT * FROM run r WHERE status = 'done' AND NOT EXISTS (
    SELECT 1 FROM run s WHERE s.status = 'done' AND s.id > r.id AND s.seed = r.seed
       AND s.scenario = r.scenario AND s.policy = r.policy AND s.policy_spec = r.policy_spec
       AND s.trace_hash = r.trace_hash AND s.scenario_text = r.scenario_text);

-- Finished jobs that job metrics count, in seconds.
CREATE VIEW v_job AS
SELECT r.scenario, r.policy, r.seed, j.run, j.ordinal, j.id, j.user, j.class,
       j.submit_us / 1e6 AS submit, j.end_us / 1e6 AS end,
       (j.end_us - j.submit_us) / 1e6 AS jct,
       (j.start_us - j.submit_us) / 1e6 AS wait,
       CASE WHEN j.nominal_us > 0 THEN 1.0 * (j.end_us - j.submit_us) / j.nominal_us END AS slowdown,
       max(1.0, 1.0 * (j.end_us - j.submit_us) / max(j.nominal_us, 10000000)) AS bounded_slowdown,
       (j.end_us - j.start_us) / 1e6 AS span,
       j.ideal_whole_us / 1e6 AS ideal_whole, j.ideal_share_us / 1e6 AS ideal_share,
       1.0 * nullif(j.ideal_whole_us, 0) / nullif(j.end_us - j.start_us, 0) AS s_whole,
       1.0 * nullif(j.ideal_share_us, 0) / nullif(j.end_us - j.start_us, 0) AS s_share,
       j.n_preempted, j.lost_us / 1e6 AS lost, j.stage_wait_us / 1e6 AS stage_wait,
       j.rho
  FROM job j JOIN v_run r ON r.id = j.run
 WHERE j.status IN ('done', 'timeout') AND j.counted;

CREATE VIEW v_metric AS
SELECT r.scenario, r.policy, r.seed, m.* FROM metric m JOIN v_run r ON r.id = m.run;

-- What a job's tasks read, a row a job; jobs without data have none.
CREATE VIEW v_moved AS
SELECT r.scenario, r.policy, r.seed, t.run, t.ordinal, j.id, j.user,
       sum(t.read_b) FILTER (WHERE t.level = 'local') AS local_b,
       sum(t.read_b) FILTER (WHERE t.level = 'rack') AS rack_b,
       sum(t.read_b) FILTER (WHERE t.level = 'cross') AS cross_b,
       sum(t.vain_b) AS vain_b
  FROM transfer t JOIN v_run r ON r.id = t.run JOIN job j ON j.run = t.run AND j.ordinal = t.ordinal
 GROUP BY t.run, t.ordinal;

-- Reservations stage by stage.
CREATE VIEW v_stage AS
SELECT r.scenario, r.policy, r.seed, j.id, s.at_us / 1e6 AS at, s.*
  FROM stage s JOIN v_run r ON r.id = s.run JOIN job j ON j.run = s.run AND j.ordinal = s.ordinal;

CREATE VIEW v_series AS
SELECT r.scenario, r.policy, r.seed, s.* FROM series s JOIN v_run r ON r.id = s.run;

-- Which call was on which kind of engine of which node when.
CREATE VIEW v_call AS
SELECT r.scenario, r.policy, r.seed, c.run, c.node, n.name AS node_name, c.engine, c.ordinal, c.task, c.call, j.id AS job, j.class,
       c.api, c.start_us, c.end_us, c.exec_us, c.way_us, c.home, c.done
  FROM call c
  JOIN v_run r ON r.id = c.run
  JOIN job j ON j.run = c.run AND j.ordinal = c.ordinal
  JOIN node n ON n.run = c.run AND n.node = c.node;

-- Who held which card when: one row for each card of each attempt.
CREATE VIEW v_card AS
WITH RECURSIVE bit(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM bit WHERE k < 63)
SELECT a.run, a.node, n.name AS node_name, bit.k AS card, a.start_us, a.end_us,
       a.ordinal, a.task, j.id AS job, j.user, j.class,
       j.gpu_milli / max(1, j.n_gpu) AS milli, a.outcome
  FROM attempt a
  JOIN v_run r ON r.id = a.run
  JOIN job j ON j.run = a.run AND j.ordinal = a.ordinal
  JOIN node n ON n.run = a.run AND n.node = a.node
  JOIN bit ON bit.k < n.n_gpu AND (a.cards >> bit.k) & 1
 WHERE a.cards <> 0;
