/*
 * schema.c -- CREATE and INSERT of every table, made of schema.def.
 *
 * SQLite keeps the text of a CREATE TABLE, comments and all, and `.schema` shows it: so it is laid out for reading.
 */
#include "db/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/embed.h"
#include "db/feed.h"

struct column { const char *name, *type, *constraint, *comment; };

#define TABLE(name, comment, key) static const struct column name##_columns[] = { { "run", "INTEGER NOT NULL", "REFERENCES run", "" },
#define TABLE_OF_RUNS(name, comment, key) static const struct column name##_columns[] = {
#define END };
#define IN(name, least, most)       "CHECK (" #name " BETWEEN " #least " AND " #most ")"
#define INT(name, comment)          { #name, "INTEGER NOT NULL", IN(name, -1, 4611686018427387903), comment },
#define INT_OR_NULL(name, comment)  { #name, "INTEGER", IN(name, -1, 4611686018427387903), comment },
#define COUNT(name, comment)        { #name, "INTEGER NOT NULL", IN(name, 0, 2147483647), comment },
#define COUNT_TO(name, most, comment) { #name, "INTEGER NOT NULL", IN(name, 0, most), comment },
#define INDEX(name, comment)        { #name, "INTEGER NOT NULL", IN(name, -1, 2147483647), comment },
#define FLAG(name, comment)         { #name, "INTEGER NOT NULL", IN(name, 0, 1), comment },
#define UINT(name, comment)         { #name, "INTEGER NOT NULL", "", comment },
#define SEQ                         INT
#define REAL(name, comment)         { #name, "REAL NOT NULL", "", comment },
#define REAL_OR_NULL(name, comment) { #name, "REAL", "", comment },
#define TEXT(name, comment)         { #name, "TEXT NOT NULL", "", comment },
#define TEXT_OR_NULL(name, comment) { #name, "TEXT", "", comment },
#define ROWID(name, comment)        { #name, "INTEGER", "PRIMARY KEY", comment },
#define TEXT_WITH(name, constraint, comment) { #name, "TEXT NOT NULL", constraint, comment },
#include "db/schema.def"

static const struct { const char *name, *comment, *key; const struct column *column; size_t n; } table[] = {
#define TABLE(name, comment, key) [SCHEMA_##name] = { #name, comment, key, name##_columns, ARRAY_LEN(name##_columns) },
#include "db/schema.def"
};

const char *schema_table_name(enum schema_table t) { return table[t].name; }
int schema_n_columns(enum schema_table t) { return (int)table[t].n; }

/* Run the text and free it. */
static int finish(sqlite3 *db, sqlite3_str *sql)
{
    char *text = sqlite3_str_finish(sql);
    int rc = text != NULL ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc;
}

static void add_comment(sqlite3_str *sql, int line_start, const char *comment)
{
    enum { COMMENT_AT = 44 };
    int gap = COMMENT_AT - (sqlite3_str_length(sql) - line_start);
    if (comment[0] == '\0') sqlite3_str_appendall(sql, "\n");
    else sqlite3_str_appendf(sql, "%*s-- %s\n", gap > 1 ? gap : 1, "", comment);
}

static int create_table(sqlite3 *db, enum schema_table t)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    int widest = 0;
    for (size_t i = 0; i < table[t].n; i++)
        if (widest < (int)strlen(table[t].column[i].name)) widest = (int)strlen(table[t].column[i].name);
    sqlite3_str_appendf(sql, "CREATE TABLE %s (", table[t].name);
    add_comment(sql, 0, table[t].comment);
    for (size_t i = 0; i < table[t].n; i++) {
        const struct column *c = &table[t].column[i];
        int line_start = sqlite3_str_length(sql);
        bool is_last = i + 1 == table[t].n && table[t].key[0] == '\0';
        sqlite3_str_appendf(sql, "    %-*s %s%s%s%s", widest, c->name, c->type, c->constraint[0] != '\0' ? " " : "", c->constraint,
                            is_last ? "" : ",");
        add_comment(sql, line_start, c->comment);
    }
    if (table[t].key[0] != '\0') sqlite3_str_appendf(sql, "    %s\n", table[t].key);
    sqlite3_str_appendf(sql, ") STRICT%s", t == SCHEMA_run ? "" : ", WITHOUT ROWID");
    return finish(db, sql);
}

/* A run takes its rows with it.  Not a foreign key's cascade: checking the key of every row written would cost a
 * sixth of the time. */
static int create_trigger(sqlite3 *db)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_str_appendall(sql, "CREATE TRIGGER run_delete BEFORE DELETE ON run BEGIN\n");
    for (enum schema_table t = SCHEMA_run + 1; t < SCHEMA_TABLES; t++)
        sqlite3_str_appendf(sql, "    DELETE FROM %s WHERE run = OLD.id;\n", table[t].name);
    sqlite3_str_appendall(sql, "END");
    return finish(db, sql);
}

int schema_create(sqlite3 *db)
{
    int rc = SQLITE_OK;
    for (enum schema_table t = 0; t < SCHEMA_TABLES && rc == SQLITE_OK; t++) rc = create_table(db, t);
    if (rc == SQLITE_OK) rc = create_trigger(db);
    return rc == SQLITE_OK ? sqlite3_exec(db, embed_text("views.sql"), NULL, NULL, NULL) : rc;
}

/* Of the right type, and in its range. */
static void add_condition(sqlite3_str *sql, const struct column *c)
{
    static const char check[] = "CHECK ";
    const char *type = strncmp(c->type, "INTEGER", 7) == 0 ? "= 'integer'" : strncmp(c->type, "REAL", 4) == 0 ? "IN ('real', 'integer')" : "= 'text'";
    bool can_be_null = strstr(c->type, "NOT NULL") == NULL;
    bool has_range = strncmp(c->constraint, check, sizeof check - 1) == 0;
    sqlite3_str_appendf(sql, "(%s%stypeof(%s) %s AND %s)", can_be_null ? c->name : "", can_be_null ? " IS NULL OR " : "", c->name, type,
                        has_range ? c->constraint + sizeof check - 1 : "1");
}

int schema_prepare_check(sqlite3 *db, enum schema_table t, const char *when, sqlite3_stmt **check)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_str_appendall(sql, "SELECT CASE");
    for (size_t i = 0; i < table[t].n; i++) {
        sqlite3_str_appendall(sql, " WHEN NOT ");
        add_condition(sql, &table[t].column[i]);
        sqlite3_str_appendf(sql, " THEN '%s is ' || substr(quote(%s), 1, 40)", table[t].column[i].name, table[t].column[i].name);
    }
    sqlite3_str_appendf(sql, " END FROM %s WHERE %s = ?1 AND (%s) AND NOT (1", table[t].name, t == SCHEMA_run ? "id" : "run", when);
    for (size_t i = 0; i < table[t].n; i++) {
        sqlite3_str_appendall(sql, " AND ");
        add_condition(sql, &table[t].column[i]);
    }
    sqlite3_str_appendall(sql, ") LIMIT 1");
    char *text = sqlite3_str_finish(sql);
    int rc = text != NULL ? sqlite3_prepare_v2(db, text, -1, check, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc;
}

/* In words; both the same: nothing. */
static void tell_column(enum schema_table t, int i, const char *found, char *wrong, size_t cap)
{
    char expected[64] = "no more";
    if (i < schema_n_columns(t))
        (void)snprintf(expected, sizeof expected, "%s %s", table[t].column[i].name, table[t].column[i].type);
    if (strcmp(found, expected) == 0) return;
    (void)snprintf(wrong, cap, "column %d of table '%s' is '%.80s', expected '%s'", i + 1, table[t].name, found,
                   expected);
}

int schema_compare(sqlite3 *db, enum schema_table t, char *wrong, size_t cap)
{
    static const char sql[] =
        "SELECT l.type, l.ncol,"
        " coalesce(x.name || ' ' || x.type || iif(x.\"notnull\", ' NOT NULL', '') || iif(x.hidden, ' GENERATED', ''), '')"
        " FROM pragma_table_list(?1) l LEFT JOIN pragma_table_xinfo(iif(l.type = 'table', ?1, NULL), 'main') x"
        " WHERE l.schema = 'main' ORDER BY x.cid";
    sqlite3_stmt *q = NULL;
    int n = 0, rc = sqlite3_prepare_v2(db, sql, -1, &q, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_bind_text(q, 1, table[t].name, -1, SQLITE_STATIC);
    for (wrong[0] = '\0'; rc == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW && wrong[0] == '\0'; n++) {
        const char *type = (const char *)sqlite3_column_text(q, 0);
        const int n_columns = sqlite3_column_int(q, 1), expected = schema_n_columns(t);
        if (strcmp(type, "table") != 0) (void)snprintf(wrong, cap, "'%s' is no table: %s", table[t].name, type);
        else if (n_columns != expected)
            (void)snprintf(wrong, cap, "table '%s' has %d columns, expected %d", table[t].name, n_columns, expected);
        else tell_column(t, n, (const char *)sqlite3_column_text(q, 2), wrong, cap);
    }
    if (n == 0) (void)snprintf(wrong, cap, "there is no table '%s'", table[t].name);
    int end = sqlite3_finalize(q);
    return rc != SQLITE_OK ? rc : end;
}

int schema_prepare_insert(sqlite3 *db, enum schema_table t, uint32_t varies, sqlite3_stmt **insert)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    SIM_ASSERT(table[t].n <= FEED_COLUMNS);
    sqlite3_str_appendf(sql, "INSERT OR ROLLBACK INTO main.%s SELECT", table[t].name);
    for (int i = 0; i < (int)table[t].n; i++)
        sqlite3_str_appendf(sql, (varies >> i & 1) != 0 ? "%s c%d" : "%s ?%d", i > 0 ? "," : "",
                            (varies >> i & 1) != 0 ? i : i + 1);
    sqlite3_str_appendall(sql, " FROM temp.feed");
    char *text = sqlite3_str_finish(sql);
    int rc = text != NULL ? sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, insert, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc;
}
