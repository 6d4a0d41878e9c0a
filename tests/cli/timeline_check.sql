-- What makes a file of `fairway timeline` valid: each row printed is a fault.
-- Read with: sqlite3 -cmd ".param set @f 'FILE.json'" :memory: <this
CREATE TEMP TABLE e AS
SELECT key AS seq, value ->> 'ph' AS ph, value ->> 'ts' AS ts, value ->> 'dur' AS dur, value ->> 'pid' AS pid,
       value ->> 'tid' AS tid, value ->> 'name' AS name, value ->> 'id' AS id, value -> 'args' AS args, json_type(value, '$.ts') AS ts_type
  FROM json_each(readfile(@f), '$.traceEvents');
CREATE INDEX e_track ON e (pid, tid, ts, dur DESC, seq);
CREATE INDEX e_flow ON e (ph, id);

SELECT 'there is no event' WHERE NOT EXISTS (SELECT 1 FROM e);
SELECT 'unknown type', ph, count(*) FROM e WHERE ph NOT IN ('M', 'X', 'C', 's', 'f') GROUP BY ph;
SELECT 'a required key is missing', seq FROM e WHERE ph IS NULL OR pid IS NULL OR tid IS NULL OR name IS NULL
    OR (ph <> 'M' AND (ts IS NULL OR ts_type <> 'integer')) OR (ph = 'X' AND dur IS NULL) OR (ph IN ('s', 'f') AND id IS NULL)
    OR (ph IN ('M', 'C') AND args IS NULL) LIMIT 5;
SELECT 'time runs backwards at', seq FROM (SELECT seq, ts, lag(ts) OVER (ORDER BY seq) AS before FROM e WHERE ph <> 'M') WHERE ts < before LIMIT 5;
SELECT 'a slice ends before it begins', seq FROM e WHERE ph = 'X' AND dur < 0 LIMIT 5;
-- On one track slices nest or are apart: walked in order, none that begins before the latest end so far ends after
-- the innermost open one.  Slices here nest one deep, phases in their attempt, so the outer ones must be apart.
SELECT 'slices overlap', pid, tid, seq FROM (
    SELECT pid, tid, seq, ts, max(ts + dur) OVER (PARTITION BY pid, tid ORDER BY ts, seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS busy
      FROM e WHERE ph = 'X' AND name NOT IN ('mismatch', 'restore', 'read', 'compute', 'write')) WHERE ts < busy LIMIT 5;
SELECT 'phases overlap', pid, tid, seq FROM (
    SELECT pid, tid, seq, ts, lag(ts + dur) OVER (PARTITION BY pid, tid ORDER BY ts, seq) AS busy
      FROM e WHERE ph = 'X' AND name IN ('mismatch', 'restore', 'read', 'compute', 'write')) WHERE ts < busy LIMIT 5;
SELECT 'a phase is outside of any attempt', p.seq FROM e p WHERE p.ph = 'X' AND p.name IN ('mismatch', 'restore', 'read', 'compute', 'write') AND NOT EXISTS (
    SELECT 1 FROM e a WHERE a.pid = p.pid AND a.tid = p.tid AND a.ph = 'X' AND a.ts <= p.ts AND a.ts + a.dur >= p.ts + p.dur AND a.seq < p.seq
       AND a.name NOT IN ('mismatch', 'restore', 'read', 'compute', 'write')) LIMIT 5;
SELECT 'a track has no name', pid, tid FROM (SELECT DISTINCT pid, tid FROM e WHERE ph = 'X') t WHERE NOT EXISTS (
    SELECT 1 FROM e m WHERE m.ph = 'M' AND m.name = 'thread_name' AND m.pid = t.pid AND m.tid = t.tid) LIMIT 5;
SELECT 'a track is named twice', pid, tid FROM e WHERE ph = 'M' AND name = 'thread_name' GROUP BY pid, tid HAVING count(*) > 1 LIMIT 5;
SELECT 'an arrow is not a pair', id, group_concat(ph) FROM e WHERE ph IN ('s', 'f') GROUP BY id
    HAVING count(*) <> 2 OR min(ph) <> 'f' OR max(ph) <> 's' OR max(CASE ph WHEN 's' THEN ts END) > max(CASE ph WHEN 'f' THEN ts END)
        OR max(CASE ph WHEN 's' THEN seq END) > max(CASE ph WHEN 'f' THEN seq END) LIMIT 5;
SELECT 'an arrow begins or ends beside a slice', seq FROM e f WHERE ph IN ('s', 'f') AND NOT EXISTS (
    SELECT 1 FROM e a WHERE a.ph = 'X' AND a.pid = f.pid AND a.tid = f.tid AND a.ts <= f.ts AND a.ts + a.dur >= f.ts AND a.seq < f.seq) LIMIT 5;
SELECT 'a counter is below 0 or above 100 %', seq, name, args FROM e, json_each(args) v WHERE ph = 'C' AND (v.value < 0 OR (v.key = '%' AND v.value > 100.0001)) LIMIT 5;
