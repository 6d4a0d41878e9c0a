-- Of each set of a search: how many of the 61 order and sign claims hold on the seeds of the search,
-- and by how many per cent the worst figure of Table 1 is off.  `end`: no other set is better in one and
-- as good in the other.
WITH p AS (
  SELECT "set", sum("is" <> '=' AND o.error <= 0 AND scenario <> 'flow-k1') AS claims,
         round(100 * max(CASE WHEN "is" = '=' AND scenario = 'flow-k1' THEN o.error END), 1) AS worst
  FROM search_ours o JOIN search_target t USING (search, target) JOIN search_set x USING (search, "set")
  WHERE phase <> 'fresh' AND weight > 0 GROUP BY "set")
SELECT claims, worst, CASE WHEN EXISTS (SELECT 1 FROM p q WHERE q.claims >= p.claims AND q.worst <= p.worst
         AND (q.claims > p.claims OR q.worst < p.worst)) THEN 'a set' ELSE 'frontier' END AS kind, "set"
FROM p ORDER BY kind DESC, claims, worst
