-- Index and views of the file of results; its tables are in schema.def.  Views show finished runs only.

CREATE INDEX run_question ON run (scenario, policy, seed);

-- Finished runs.  Of several with the same question and answer (such as of
-- two versions of the program) the latest.
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
       (j.end_us - j.submit_us - j.ran_us) / 1e6 AS not_running,
       CASE WHEN j.nominal_us > 0 THEN 1.0 * (j.end_us - j.submit_us) / j.nominal_us END AS slowdown,
       max(1.0, 1.0 * (j.end_us - j.submit_us) / max(j.nominal_us, 10000000)) AS bounded_slowdown,
       (j.end_us - j.start_us) / 1e6 AS span,
       j.ideal_whole_us / 1e6 AS ideal_whole, j.ideal_share_us / 1e6 AS ideal_share,
       1.0 * nullif(j.ideal_whole_us, 0) / nullif(j.end_us - j.start_us, 0) AS s_whole,
       1.0 * nullif(j.ideal_share_us, 0) / nullif(j.end_us - j.start_us, 0) AS s_share,
       j.n_gpu, j.n_preempted, j.lost_us / 1e6 AS lost, j.stage_wait_us / 1e6 AS stage_wait,
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

-- What jobs drew and cost, all that came; only in runs with power or prices.
CREATE VIEW v_energy AS
SELECT r.scenario, r.policy, r.seed, e.run, e.ordinal, j.id, j.user, j.class, j.n_gpu, j.status, e.kwh, e.cost
  FROM energy e JOIN v_run r ON r.id = e.run JOIN job j ON j.run = e.run AND j.ordinal = e.ordinal;

-- Reservations stage by stage.
CREATE VIEW v_stage AS
SELECT r.scenario, r.policy, r.seed, j.id, s.at_us / 1e6 AS at, s.*
  FROM stage s JOIN v_run r ON r.id = s.run JOIN job j ON j.run = s.run AND j.ordinal = s.ordinal;

CREATE VIEW v_series AS
SELECT r.scenario, r.policy, r.seed, s.* FROM series s JOIN v_run r ON r.id = s.run;

-- Which call was on which type of engine of which node when.
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
