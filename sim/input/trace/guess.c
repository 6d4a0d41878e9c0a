/* guess.c -- a map of guess.h: columns by their names, units by names and values, forms of dates by what they rule out. */
#include "input/trace/guess.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include "base/mem.h"
#include "base/text.h"
#include "input/trace/mapping.h"

enum form { F_NUMBER, F_CLOCK, F_UNITS, F_DATE, F_DAY_FIRST, F_MONTH_FIRST, F_DAY_OR_MONTH, F_TEXT, N_FORMS };

/* What the rows have in one column. */
struct seen {
    const char *name;
    int at;
    uint64_t n, of[N_FORMS], n_zoned, n_timed;
    double max;
    const char *none;           /* a word that stands for nothing; NULL: none was seen */
    char first[48];
    bool is_used;
};
struct guess { struct seen *col; size_t n; uint64_t n_rows; char kind; bool no_header, stop; FILE *out; };

static const char *const nothing[] = { "None", "none", "NULL", "null",    "nan", "NaN",
                                       "NaT",  "N/A",  "NA",   "Unknown", "\\N", "-" };

/* Names that columns of a figure go by, letters and digits alone; the earlier is preferred. */
static const struct { enum mapping_figure figure; const char *names;
} known[] = {
    { MAPPING_ID, "jobid jobidraw id jobnumber jobno job jobname instancesn podname name uuid" },
    { MAPPING_SUBMIT, "submit submittime submittedtime submitteds submits submitms submittedat submission "
                      "submissiontime arrival arrivaltime arrivals "
                      "createdat creationtime created createtime queuedat queuetime timestamp enqueuetime" },
    { MAPPING_START, "start starttime startedat started starts scheduledtime begin begintime" },
    { MAPPING_END,
      "end endtime endedat ended ends finish finishtime finishedat completiontime completedat deletiontime" },
    { MAPPING_WAIT, "wait waittime waits queuewait queueingtime waiting" },
    { MAPPING_DURATION, "duration durations durationms runtime runtimes runtimems elapsed elapsedraw elapseds "
                        "servicesec servicetime walltimeused runningtime" },
    { MAPPING_LIMIT, "limit limits timelimit walltime walltimelimit requestedtime reqtime timelimits maxruntime" },
    { MAPPING_USER, "user username userid owner account uid group" },
    { MAPPING_QUEUE, "queue partition vc virtualcluster qos cluster pool" },
    { MAPPING_MODEL, "model modelname" },
    { MAPPING_TASKS, "nodenum numnodes nnodes nodecount instnum ninstances workers numworkers replicas" },
    { MAPPING_GPUS,
      "gpus gpunum numgpu numgpus gpucount ngpus gpurequest reqgpus gpusrequested gresgpu allocgpus gpu" },
    { MAPPING_CPUS, "cpus cpunum numcpu numcpus cores ncpus ncores cpucount cpurequest reqcpus alloccpus cpu" },
    { MAPPING_MEM, "mem memory memorymib memmib memorymb memmb memorygib memgib memorygb memgb memorybytes memorykb "
                   "memoryrequest reqmem" },
    { MAPPING_GPU_TYPE, "gputype gpumodel gpuspec accelerator card cardtype" },
    { MAPPING_PRIORITY, "priority" },
    { MAPPING_NODES, "nodelist nodes hosts hostname hostlist node" },
    { MAPPING_STATE, "state status jobstate jobstatus podphase exitstatus" },
};

/* ---- looking ---- */

static bool is_none(const char *s, struct seen *c)
{
    for (size_t i = 0; i < ARRAY_LEN(nothing); i++) {
        if (strcmp(s, nothing[i]) != 0) continue;
        c->none = nothing[i];
        return true;
    }
    return *s == '\0';
}

/* D?/M?/YYYY with any separator: which part is the day is known where one is above 12. */
static enum form slashed(const char *s)
{
    static const char *const patterns[] = { "DD/MM/YYYY", "DD.MM.YYYY", "DD-MM-YYYY" }, *const us[] = { "MM/DD/YYYY",
                                                                                                        "MM.DD.YYYY",
                                                                                                        "MM-DD-YYYY" };
    char day[16];
    int64_t ignored;
    (void)snprintf(day, sizeof day, "%.10s", s);
    for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
        bool d = value_date(day, &(const struct value_dates){ .pattern = patterns[i] }, &ignored, NULL);
        bool m = value_date(day, &(const struct value_dates){ .pattern = us[i] }, &ignored, NULL);
        if (d || m) return d && m ? F_DAY_OR_MONTH : d ? F_DAY_FIRST : F_MONTH_FIRST;
    }
    return F_TEXT;
}

static void look(struct seen *c, const char *s)
{
    sim_wide v;
    int64_t us;
    enum value_form form;
    const bool neg = *s == '-';
    if (is_none(s, c)) return;
    if (c->n++ == 0) (void)snprintf(c->first, sizeof c->first, "%.40s", s);
    if (value_number(s + neg, 1000, (sim_wide)1 << 100, &v, NULL)) {
        c->of[F_NUMBER]++;
        if ((double)v / 1000 > c->max) c->max = (double)v / 1000;
    } else if (value_date(s, NULL, &us, NULL)) {
        c->of[F_DATE]++;
        const char *clock = strchr(s, ':');
        c->n_timed += clock != NULL;
        c->n_zoned += clock != NULL && strpbrk(clock, "Z+-U") != NULL;
    } else if (value_span(s, INT64_MAX / 4, &us, &form, NULL)) c->of[form == VALUE_CLOCK ? F_CLOCK : F_UNITS]++;
    else {
        const enum form day = slashed(s);
        c->of[day]++;
        c->n_timed += day != F_TEXT && strchr(s, ':') != NULL;
    }
}

/*
 * Comma, tab, pipe or semicolon: what the file's name says, if the first line has any of it (a spreadsheet's .csv may
 * have semicolons), else whichever that line has most of; objects in braces are JSON.
 */
static char find_kind(const char *path)
{
    const char named = rows_kind(path);
    char best = ',';
    size_t most = 0, n[256] = { 0 };
    FILE *f = named == ROWS_JSON ? NULL : fopen(path, "rb");
    if (f == NULL) return named != 0 ? named : ',';
    int c = fgetc(f);
    if (c == '{' || c == '[') best = ROWS_JSON;
    for (int k = 0; best != ROWS_JSON && c != EOF && c != '\n' && k < 1 << 20; k++, c = fgetc(f)) n[c & 255]++;
    (void)fclose(f);
    if (named != 0 && n[(unsigned char)named] > 0) return named;
    for (const char *s = ",\t|;"; best != ROWS_JSON && *s != '\0'; s++)
        if (n[(unsigned char)*s] > most) { most = n[(unsigned char)*s]; best = *s; }
    return best;
}

/* A first row with a number or a date in it is no header. */
static bool has_no_header(const struct rows *r)
{
    size_t n;
    const char *const *header = rows_header(r, &n);
    for (size_t i = 0; i < n; i++) {
        struct seen c = { .n = 0 };
        look(&c, header[i]);
        if (c.of[F_NUMBER] + c.of[F_DATE] > 0) return true;
    }
    return false;
}

static enum st look_at_rows(struct guess *g, struct rows *r, struct diag *d)
{
    struct intern names = { .n = 0 };
    if (!rows_is_json(r)) rows_names(r, &names);
    while (g->n_rows < GUESS_ROWS && rows_next(r, d) == ST_OK) {
        g->n_rows++;
        if (rows_is_json(r)) rows_names(r, &names);
        size_t cap = g->n;
        for (size_t i = g->n; i < names.n; i++) {
            MEM_RESERVE(g->col, cap, i + 1);
            g->col[i] = (struct seen){ .name = mem_strdup(intern_name(&names, (uint32_t)i)),
                                       .at = rows_column(r, intern_name(&names, (uint32_t)i)) };
            g->n = i + 1;
        }
        for (size_t i = 0; i < g->n; i++) look(&g->col[i], rows_field(r, g->col[i].at));
    }
    intern_fini(&names);
    return d->code;
}

/* ---- telling ---- */

/* A column as an expression names it. */
static void put_name(FILE *f, const char *name)
{
    bool plain = isalpha((unsigned char)*name) != 0 || *name == '_';
    for (const char *s = name; *s != '\0'; s++)
        plain = plain && (isalnum((unsigned char)*s) != 0 || *s == '_' || *s == '.') && (unsigned char)*s < 128;
    plain = plain && strstr(name, ".#") == NULL;
    if (plain) { (void)fputs(name, f); return; }
    (void)fputs("\"`", f);
    for (const char *s = name; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\') (void)fputc('\\', f);
        if ((unsigned char)*s >= 32) (void)fputc(*s, f);
    }
    (void)fputs("`\"", f);
}

/* The column whose name stands first in the list; its letters and digits alone count, and no unit in brackets. */
static struct seen *find(struct guess *g, const char *list)
{
    struct seen *best = NULL;
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < g->n; i++) {
        char plain[64];
        size_t n = 0;
        for (const char *s = g->col[i].name; *s != '\0' && *s != '(' && *s != '[' && n + 3 < sizeof plain; s++)
            if (isalnum((unsigned char)*s) != 0) plain[++n] = (char)tolower((unsigned char)*s);
        plain[0] = ' ';
        plain[n + 1] = ' ';
        plain[n + 2] = '\0';
        char *padded = mem_printf(" %s ", list), *hit = n > 0 && !g->col[i].is_used ? strstr(padded, plain) : NULL;
        if (hit != NULL && (size_t)(hit - padded) < at) { at = (size_t)(hit - padded); best = &g->col[i]; }
        mem_free(padded);
    }
    return best;
}

static enum form form_of(const struct seen *c)
{
    for (int f = 0; f < N_FORMS; f++) if (c->of[f] == c->n && c->n > 0) return (enum form)f;
    if (c->n == 0) return F_TEXT;
    uint64_t slashed_ones = c->of[F_DAY_FIRST] + c->of[F_MONTH_FIRST] + c->of[F_DAY_OR_MONTH];
    if (slashed_ones == c->n && c->of[F_MONTH_FIRST] == 0) return F_DAY_FIRST;
    if (slashed_ones == c->n && c->of[F_DAY_FIRST] == 0) return F_MONTH_FIRST;
    return F_TEXT;
}

/* What the end of the name says of the unit; NULL: nothing. */
static const char *unit_of(const char *name, enum mapping_dimension dimension)
{
    static const struct { const char *end, *unit; enum mapping_dimension dimension;
    } ends[] = {
        { "_ms", "ms", MAPPING_SPAN },    { "_us", "us", MAPPING_SPAN },       { "_s", "s", MAPPING_SPAN },
        { "_sec", "s", MAPPING_SPAN },    { "_secs", "s", MAPPING_SPAN },      { "_seconds", "s", MAPPING_SPAN },
        { "_min", "m", MAPPING_SPAN },    { "_minutes", "m", MAPPING_SPAN },   { "_hours", "h", MAPPING_SPAN },
        { "_h", "h", MAPPING_SPAN },      { "ElapsedRaw", "s", MAPPING_SPAN }, { "TimelimitRaw", "m", MAPPING_SPAN },
        { "_mib", "MiB", MAPPING_BYTES }, { "_mb", "MB", MAPPING_BYTES },      { "_gib", "GiB", MAPPING_BYTES },
        { "_gb", "GB", MAPPING_BYTES },   { "_kb", "kB", MAPPING_BYTES },      { "_bytes", "B", MAPPING_BYTES },
    };
    char plain[64];             /* `Wall Time (min)` and `wall time [min]` end as wall_time_min does */
    size_t n = 0;
    for (const char *s = name; *s != '\0' && n + 1 < sizeof plain; s++) {
        if (strchr(" ([_", *s) == NULL && strchr(")]", *s) == NULL) plain[n++] = *s;
        else if (n > 0 && plain[n - 1] != '_' && strchr(" ([_", *s) != NULL) plain[n++] = '_';
    }
    plain[n] = '\0';
    if (dimension == MAPPING_INSTANT) dimension = MAPPING_SPAN;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        size_t len = strlen(ends[i].end);
        if (ends[i].dimension == dimension && n > len && strcasecmp(plain + n - len, ends[i].end) == 0)
            return ends[i].unit;
    }
    return NULL;
}

/* One line of the map, with its reason. */
static void tell(struct guess *g, enum mapping_figure figure, struct seen *c)
{
    const enum mapping_dimension dimension = mapping_figures[figure].dimension;
    const bool is_time = dimension == MAPPING_INSTANT || dimension == MAPPING_SPAN;
    const enum form form = form_of(c);
    const char *unit = unit_of(c->name, dimension), *why = "by its name", *todo = "";
    bool asks_unit = false;
    c->is_used = true;
    if (form == F_NUMBER && unit == NULL && dimension == MAPPING_INSTANT) {
        unit = c->max > 1e14 ? "us" : c->max > 1e11 ? "ms" : c->max > 1e9 ? "s" : NULL;
        if (unit != NULL) why = "by its name; the unit from how large it is, as since 1970";
    }
    if (form == F_NUMBER && unit == NULL && dimension != MAPPING_COUNT && dimension != MAPPING_TEXT) {
        asks_unit = true;
        todo = dimension == MAPPING_BYTES ? "; TODO: the unit, B, kB, MB, MiB, GiB..."
                                          : "; TODO: the unit, us, ms, s, m, h or d";
    }
    if (c->n == 0) todo = "; TODO: all of it is empty in these rows";
    else if (form == F_TEXT && dimension != MAPPING_TEXT && dimension != MAPPING_BYTES)
        todo = "; TODO: its fields are not all of one form";
    bool is_slashed = is_time && (form == F_DAY_FIRST || form == F_MONTH_FIRST || form == F_DAY_OR_MONTH);
    (void)fprintf(g->out, "  %s: ", mapping_figures[figure].name);
    if (unit == NULL && !asks_unit && !is_slashed) put_name(g->out, c->name);
    else {
        (void)fputs("{value: ", g->out);
        put_name(g->out, c->name);
        if (is_slashed) {
            char sep = c->first[2];
            if (form == F_DAY_OR_MONTH) (void)fputs(", dates: TODO", g->out);
            else
                (void)fprintf(g->out, ", dates: \"%s%c%s%cYYYY%s\"", form == F_DAY_FIRST ? "DD" : "MM", sep,
                              form == F_DAY_FIRST ? "MM" : "DD", sep,
                              strlen(c->first) == 19   ? " hh:mm:ss"
                              : strlen(c->first) == 16 ? " hh:mm"
                                                       : "");
            if (form == F_DAY_OR_MONTH)
                todo = "; TODO: is the day first, or the month?  a pattern such as DD/MM/YYYY hh:mm:ss";
        } else (void)fprintf(g->out, ", unit: %s", asks_unit ? "TODO" : unit);
        (void)fputc('}', g->out);
    }
    (void)fprintf(g->out, "   # %s; ", why);
    char *shown = text_shown(c->first);
    (void)fprintf(g->out, "first '%s'%s\n", shown, todo);
    mem_free(shown);
}

static void tell_head(struct guess *g, const char *path)
{
    static const struct { char kind; const char *word; } kinds[] = {
        { ',', "comma" }, { '\t', "tab" }, { '|', "pipe" }, { ';', "semicolon" }, { ROWS_JSON, "json" },
    };
    char *shown = text_shown(path);
    uint64_t dates = 0, zoned = 0;
    bool none[ARRAY_LEN(nothing)] = { false };
    (void)fprintf(g->out, "# A map of %s, guessed from its first %llu rows.  Read it before you trust it.\n", shown,
                  (unsigned long long)g->n_rows);
    mem_free(shown);
    for (size_t i = 0; i < g->n; i++)
        if (strcmp(g->col[i].name, "JobID") == 0)
            (void)fputs("# Its columns are those of sacct: `format: sacct` reads it without a map, with arrays, requeues and TRES.\n", g->out);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (kinds[i].kind == g->kind) (void)fprintf(g->out, "separator: %s\n", kinds[i].word);
    if (g->no_header) {
        (void)fputs("header: [", g->out);
        for (size_t i = 0; i < g->n; i++) (void)fprintf(g->out, "%s%s", i > 0 ? ", " : "", g->col[i].name);
        (void)fputs("]   # TODO: the first row has numbers, so the columns have no names; say what they are\n", g->out);
    }
    for (size_t i = 0; i < g->n; i++) {
        dates += g->col[i].n_timed;
        zoned += g->col[i].n_zoned;
        for (size_t k = 0; k < ARRAY_LEN(nothing); k++) if (g->col[i].none == nothing[k]) none[k] = true;
    }
    if (dates > zoned)
        (void)fputs("# TODO: dates have no time zone and are read as UTC; if they are not:\n# zone: Europe/Berlin\n",
                    g->out);
    const char *before = "empty: [";
    for (size_t k = 0; k < ARRAY_LEN(nothing); k++)
        if (none[k]) { (void)fprintf(g->out, "%s'%s'", before, nothing[k]); before = ", "; }
    if (*before == ',') (void)fputs("]   # words that look like nothing\n", g->out);
}

static void tell_columns(struct guess *g)
{
    bool has[MAPPING_FIGURES] = { false };
    (void)fputs("columns:\n", g->out);
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        struct seen *c = find(g, known[i].names);
        if (c == NULL) continue;
        has[known[i].figure] = true;
        tell(g, known[i].figure, c);
    }
    if (!has[MAPPING_SUBMIT]) (void)fputs("  submit: TODO   # when each job arrived; no column is named so\n", g->out);
    if (!has[MAPPING_DURATION] && !(has[MAPPING_END] && (has[MAPPING_START] || has[MAPPING_WAIT])))
        (void)fputs(
            "  duration: TODO   # how long each job ran; no column is named so, nor have `start` and `end` one\n",
            g->out);
    if (!has[MAPPING_GPUS]) (void)fputs("  # gpus: ...   # no column is named so: jobs without GPUs\n", g->out);
    if (has[MAPPING_TASKS])
        (void)fputs(
            "  # TODO: are gpus, cpus and mem of the whole job?  If of each task, multiply: `gpus: gpus * nodes`\n",
            g->out);
    for (size_t i = 0; i < g->n; i++) {
        if (g->col[i].is_used) continue;
        char *name = text_shown(g->col[i].name), *first = text_shown(g->col[i].first);
        (void)fprintf(g->out, "  # not used: %s (%s%s%s)\n", name, *first != '\0' ? "first '" : "empty", first,
                      *first != '\0' ? "'" : "");
        mem_free(name);
        mem_free(first);
    }
}

enum st guess_map(const char *path, FILE *out, struct diag *d)
{
    struct guess g = { .kind = find_kind(path), .out = out };
    struct rows *r = NULL;
    const char **names = NULL;
    enum st st = rows_open(&r, path, g.kind, NULL, 0, d);
    if (st == ST_OK && has_no_header(r)) {
        size_t n;
        (void)rows_header(r, &n);
        rows_close(r);
        r = NULL;
        g.no_header = true;
        MEM_ARRAY(names, n);
        for (size_t i = 0; i < n; i++) names[i] = mem_printf("column%zu", i + 1);
        st = rows_open(&r, path, g.kind, names, n, d);
        g.n = 0;
        if (st == ST_OK) st = look_at_rows(&g, r, d);
        rows_close(r);
        r = NULL;
        for (size_t i = 0; i < n; i++) mem_free((char *)names[i]);
    } else if (st == ST_OK) st = look_at_rows(&g, r, d);
    if (st == ST_OK) {
        tell_head(&g, path);
        tell_columns(&g);
    }
    rows_close(r);
    for (size_t i = 0; i < g.n; i++) mem_free((char *)g.col[i].name);
    mem_free(g.col);
    mem_free(names);
    return st;
}
