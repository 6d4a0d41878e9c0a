-- A row a policy, means over seeds: on one GPU type and on three, the mean completion time, when the last job ends,
-- finish-time fairness, what restarts cost (a minute for each interruption), and what a decision took this machine.
CREATE TEMP VIEW figure AS
SELECT run.policy, min(run.id) OVER (PARTITION BY run.policy) AS nr, run.variant = '' AS one_type,
       (SELECT value / 3600 FROM metric WHERE run = run.id AND scope = 'all' AND name = 'jct_mean') AS jct,
       (SELECT value / 3600 FROM metric WHERE run = run.id AND scope = 'all' AND name = 'makespan') AS makespan,
       (SELECT value FROM metric WHERE run = run.id AND scope = 'all' AND name = 'rho_p95') AS rho,
       (SELECT sum(n_preempted * n_gpu) / 60.0 FROM job WHERE job.run = run.id) AS restarts,
       (SELECT value FROM wall WHERE wall.run = run.id AND name = 'decision_mean') AS decision
  FROM run;
SELECT policy,
       printf('%.2f', avg(jct) FILTER (WHERE one_type)) AS 'JCT, h',
       printf('%.2f', avg(jct) FILTER (WHERE NOT one_type)) AS 'mixed',
       printf('%.0f', avg(makespan) FILTER (WHERE one_type)) AS 'makespan, h',
       printf('%.0f', avg(makespan) FILTER (WHERE NOT one_type)) AS 'mixed',
       printf('%.1f', avg(rho) FILTER (WHERE one_type)) AS 'ρ, p95',
       printf('%.1f', avg(rho) FILTER (WHERE NOT one_type)) AS 'mixed',
       printf('%.0f', avg(restarts) FILTER (WHERE one_type)) AS 'restarts, GPU h',
       printf('%.0f', avg(restarts) FILTER (WHERE NOT one_type)) AS 'mixed',
       printf('%.0f', avg(decision) FILTER (WHERE one_type)) AS 'decision, µs',
       printf('%.0f', avg(decision) FILTER (WHERE NOT one_type)) AS 'mixed'
  FROM figure GROUP BY policy ORDER BY nr;
