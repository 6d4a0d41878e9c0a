-- A row a policy, means over seeds of what runs.sql, read before as view `figure`, has of each run.
SELECT policy,
       printf('%.2f', avg(jct) FILTER (WHERE cluster = 'A')) AS 'JCT, h: A',
       printf('%.2f', avg(jct) FILTER (WHERE cluster = 'B')) AS 'B',
       printf('%.0f', avg(makespan) FILTER (WHERE cluster = 'A')) AS 'makespan, h: A',
       printf('%.0f', avg(makespan) FILTER (WHERE cluster = 'B')) AS 'B',
       printf('%.1f', avg(rho) FILTER (WHERE cluster = 'A')) AS 'ρ, p95: A',
       printf('%.1f', avg(rho) FILTER (WHERE cluster = 'B')) AS 'B',
       printf('%.0f', avg(restarts) FILTER (WHERE cluster = 'A')) AS 'restarts, GPU h: A',
       printf('%.0f', avg(restarts) FILTER (WHERE cluster = 'B')) AS 'B',
       printf('%.0f', avg(decision) FILTER (WHERE cluster = 'A')) AS 'decision, µs: A',
       printf('%.0f', avg(decision) FILTER (WHERE cluster = 'B')) AS 'B'
  FROM figure GROUP BY policy ORDER BY min(id);
