-- A row a run: on the scenario's first cluster (A) or its second (B) the mean completion time and when the last job
-- ends (h), finish-time fairness (95th percentile), GPU hours that restarts cost, and what a decision took this machine
-- (us).  Elastic jobs' restarts are measured; others cost a minute for each interruption.
SELECT run.policy || iif(scenario LIKE 'pollux-%', ', ' || substr(scenario, 8), '') AS policy, run.id,
       iif(run.variant LIKE '%cluster.groups%', 'B', 'A') AS cluster,
       (SELECT value / 3600 FROM metric WHERE run = run.id AND scope = 'all' AND name = 'jct_mean') AS jct,
       (SELECT value / 3600 FROM metric WHERE run = run.id AND scope = 'all' AND name = 'makespan') AS makespan,
       (SELECT value FROM metric WHERE run = run.id AND scope = 'all' AND name = 'rho_p95') AS rho,
       coalesce((SELECT value FROM metric WHERE run = run.id AND scope = 'all' AND name = 'restart_gpu_hours'),
                (SELECT sum(n_preempted * n_gpu) / 60.0 FROM job WHERE job.run = run.id)) AS restarts,
       (SELECT value FROM wall WHERE wall.run = run.id AND name = 'decision_mean') AS decision
  FROM run
