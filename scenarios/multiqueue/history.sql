-- What the searches of a run with save_history=true found, as a history_file for another: of the latest such run of the
-- database, the last row of each category and layout.  sqlite3 first.db <scenarios/multiqueue/history.sql >history.csv
.mode csv
.headers on
.separator , "\n"
WITH saved AS (
    SELECT seq, value, substr(name, 1, instr(name, ':') - 1) AS what, substr(name, instr(name, ':') + 1) AS row
    FROM note WHERE name GLOB 'history_*:*' AND run = (SELECT max(run) FROM note WHERE name GLOB 'history_cores:*')
), last AS (
    SELECT what, row, value, substr(row, instr(row, ':') + 1) AS rest FROM saved s
    WHERE seq = (SELECT max(seq) FROM saved WHERE what = s.what AND row = s.row)
)
SELECT substr(c.rest, instr(c.rest, ':') + 1) AS category, CAST(c.row AS INTEGER) AS gpus, CAST(c.rest AS INTEGER) AS tasks,
    CAST(c.value AS INTEGER) AS cores, round(u.value, 6) AS util
FROM last c JOIN last u ON u.row = c.row AND u.what = 'history_util' WHERE c.what = 'history_cores' ORDER BY 1, 2, 3;
