/*
 * fuzz_rows.c -- a database whose rows another program has changed, under every command that reads rows.
 *
 * FUZZ_DB names the database of a run, its constraints taken out (fuzz.sh makes it).  The input is a list of changes,
 * four bytes each: column, value from those that are likely to hurt, which runs.  Then a command reads it; it
 * answers or refuses (exit status 0 to 3), and never crashes.
 */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "cmd/line/help.h"

enum { COLUMNS_MAX = 512, CHANGES_MAX = 8, CHANGE_BYTES = 4 };

static struct {
    char table[64], name[64];
} column[COLUMNS_MAX];
static size_t n_columns;
static char *base;
static size_t base_n;
static char db_path[64], out_path[64];

static int got_column(void *ctx, int n, char **text, char **name)
{
    (void)ctx, (void)n, (void)name;
    if (n_columns == COLUMNS_MAX) return 1;
    (void)snprintf(column[n_columns].table, sizeof column[0].table, "%s", text[0]);
    (void)snprintf(column[n_columns++].name, sizeof column[0].name, "%s", text[1]);
    return 0;
}

static void drop(void)
{
    (void)unlink(db_path);
    (void)unlink(out_path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *path = getenv("FUZZ_DB");
    sqlite3 *db;
    (void)argc, (void)argv;
    if (path == NULL || sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
        sqlite3_exec(db,
                     "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'",
                     got_column, NULL, NULL) != SQLITE_OK ||
        n_columns == 0) {
        (void)fputs("FUZZ_DB must name a database of runs\n", stderr);
        exit(2);
    }
    (void)sqlite3_close(db);
    FILE *f = fopen(path, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0) abort();
    base_n = (size_t)ftell(f);
    base = malloc(base_n);
    rewind(f);
    if (base == NULL || fread(base, 1, base_n, f) != base_n || fclose(f) != 0) abort();
    (void)snprintf(db_path, sizeof db_path, "/dev/shm/fairway-fuzz-%ld.db", (long)getpid());
    (void)snprintf(out_path, sizeof out_path, "/dev/shm/fairway-fuzz-%ld.out", (long)getpid());
    (void)atexit(drop);
    return 0;
}

/* What is likely to hurt; '@' stands for the column. */
static const char *const value[] = { "-1",
                                     "0",
                                     "1",
                                     "63",
                                     "64",
                                     "255",
                                     "65536",
                                     "2147483647",
                                     "2147483648",
                                     "4611686018427387904",
                                     "9223372036854775807",
                                     "-9223372036854775808",
                                     "NULL",
                                     "'x'",
                                     "''",
                                     "1e300",
                                     "x'00ff'",
                                     "@ + 1",
                                     "@ - 1",
                                     "@ * 1000",
                                     "-@" };

static void change(sqlite3 *db, const uint8_t *b)
{
    size_t c = (size_t)((b[0] << 8 | b[1]) % (int)n_columns);
    const char *v = value[b[2] % (sizeof value / sizeof value[0])], *at = strchr(v, '@');
    char sql[600];
    (void)snprintf(sql, sizeof sql, "PRAGMA ignore_check_constraints = ON; UPDATE OR IGNORE %s SET %s = %.*s%s%s%s",
                   column[c].table, column[c].name, at != NULL ? (int)(at - v) : (int)strlen(v), v,
                   at != NULL ? column[c].name : "", at != NULL ? at + 1 : "", b[3] & 1 ? "" : " WHERE run = 1");
    (void)sqlite3_exec(db, sql, NULL, NULL, NULL); /* what cannot be said of this table is no change */
}

static const char *const command[] = {
    "compare DB",           "timeline DB 1 -o OUT",         "timeline DB 1 --batsim -o OUT",
    "explain DB 1 c",       "report DB --no-charts -o OUT", "stages DB",
    "plot DB gantt -o OUT", "plot DB cdf -o OUT",           "merge OUT DB",
};

static int run(const char *words)
{
    char line[128], *argv[8];
    int argc = 0;
    (void)snprintf(line, sizeof line, "%s", words);
    for (char *word = strtok(line, " "); word != NULL && argc < 8; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "DB") == 0 ? db_path : strcmp(word, "OUT") == 0 ? out_path : word;
    return cmd_run_line(help_find(argv[0]), argc, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    sqlite3 *db;
    if (n < 1 + CHANGE_BYTES) return -1;
    FILE *f = fopen(db_path, "wb");
    if (f == NULL || fwrite(base, 1, base_n, f) != base_n || fclose(f) != 0) abort();
    if (sqlite3_open(db_path, &db) != SQLITE_OK) abort();
    for (size_t at = 1, k = 0; at + CHANGE_BYTES <= n && k < CHANGES_MAX; at += CHANGE_BYTES, k++)
        change(db, data + at);
    (void)sqlite3_close(db);
    (void)unlink(out_path);
    int status = run(command[data[0] % (sizeof command / sizeof command[0])]);
    if (status < 0 || status > 3) abort();
    return 0;
}
