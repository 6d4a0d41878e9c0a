/*
 * spill.c -- the jobs of spill.h: records one after another, and where each begins, sorted by time.
 * A record is kept as what differs among those before it: a trace says few different things of its jobs.
 * Invariant: with a temporary file all records are in it; without one, all in memory.
 */
#include "input/trace/spill.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/rng.h"
#include "base/scratch.h"

/* offset: of the record; its last bit, which ALIGN leaves 0, says that the job waits for others. */
struct entry { sim_tick submit; int64_t offset; };
static int64_t place_of(const struct entry *e) { return e->offset & ~(int64_t)1; }
static bool waits(const struct entry *e) { return (e->offset & 1) != 0; }
/*
 * A job: its spec, the groups, the strings with their NULs.  The spec is
 * kept as it is, so that what is added to it is kept; only what it points to has
 * to be told of, here.
 */
static const size_t text_at[] = {       /* the id, of any length, last: else those behind it are elsewhere in each */
    offsetof(struct job_spec, user), offsetof(struct job_spec, queue), offsetof(struct job_spec, model),
    offsetof(struct job_spec, klass), offsetof(struct job_spec, node), offsetof(struct job_spec, after),
    offsetof(struct job_spec, past.nodes), offsetof(struct job_spec, past.state), offsetof(struct job_spec, id),
};
static const char *text_of(const struct job_spec *s, size_t i)
{
    return *(const char *const *)(const void *)((const char *)s + text_at[i]);
}
static void set_text(struct job_spec *s, size_t i, const char *text)
{
    *(const char **)(void *)((char *)s + text_at[i]) = text;
}

enum { FIRST_READ = 512,        /* more than a short job takes */
       MANY = 1 << 20,          /* bytes */
       ALIGN = 8,               /* so that groups can be used where they lie */
       WORDS = (sizeof(struct job_spec) + sizeof(struct task_group)) / ALIGN };
_Static_assert(sizeof(struct job_spec) % ALIGN == 0 && sizeof(struct task_group) % ALIGN == 0, "groups are aligned");
_Static_assert(WORDS <= UINT8_MAX, "a byte says which");

/* What all records have.  spec: in place of a text is how far behind the record's first byte it is; 0: NULL. */
union head {
    struct { struct job_spec spec; struct task_group group; } of;
    uint64_t word[WORDS];
};

/* A record as it is kept: this, the first so many of the head's words that vary, and what the record has behind it. */
struct packed { uint32_t n_blocks; uint16_t n_words, texts; };  /* blocks: of all, in ALIGN bytes; texts that it has, as bits */
_Static_assert(ARRAY_LEN(text_at) <= 16, "a bit says which");
static size_t bytes_of(const struct packed *p) { return (size_t)p->n_blocks * ALIGN; }

struct spill {
    struct entry *at; size_t n, cap;
    int64_t end, most;          /* bytes of all records, packed, and of those that may be in memory */
    char *memory; size_t cap_memory;
    union head first, last;     /* of the first and the latest record; they differ at most in the words that vary */
    uint8_t varies[WORDS]; uint32_t n_varies;           /* words that differed so far, in the order in which they did */
    FILE *tmp;                  /* NULL: not needed yet */
};

struct spill *spill_create(int64_t memory)
{
    struct spill *x;
    MEM_NEW(x);
    x->most = memory;
    return x;
}

void spill_destroy(struct spill *x)
{
    if (x == NULL) return;
    if (x->tmp != NULL) (void)fclose(x->tmp);
    MEM_FREE(x->at, x->memory, x);
}

/* From now on in a file. */
static enum st leave_memory(struct spill *x, struct diag *d)
{
    x->tmp = scratch_file();
    if (x->tmp == NULL) return diag_set(d, ST_EWORLD, "cannot make a temporary file to sort the trace: %s", strerror(errno));
    bool ok = fwrite(x->memory, 1, (size_t)x->end, x->tmp) == (size_t)x->end;
    mem_free(x->memory);
    x->memory = NULL;
    x->cap_memory = 0;
    return ok ? ST_OK : diag_set(d, ST_EWORLD, "cannot write the temporary file that sorts the trace: %s", strerror(errno));
}

bool spill_is_full(const struct spill *x) { return x->end > x->most; }

/* The words that vary, behind what is kept; where they end. */
static char *keep_words(struct spill *x, const union head *h, struct packed *p)
{
    uint64_t *to = (void *)(p + 1);
    if (x->n == 0) x->first = x->last = *h;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < x->n_varies; i++) to[i] = x->last.word[x->varies[i]] = h->word[x->varies[i]];
    to += x->n_varies;
    if (memcmp(&x->last, h, sizeof *h) != 0)            /* others do, too */
        for (size_t k = 0; k < WORDS; k++)
            if (x->last.word[k] != h->word[k]) {
                x->varies[x->n_varies++] = (uint8_t)k;
                *to++ = x->last.word[k] = h->word[k];
            }
    p->n_words = (uint16_t)x->n_varies;
    return (char *)to;
}

/* The job, as a record behind what is kept; its bytes. */
static size_t pack(struct spill *x, size_t from, const struct job_spec *s)
{
    const size_t more_groups = (s->n_groups - 1) * sizeof *s->group;
    size_t n = sizeof(union head) + more_groups, n_texts = 0;
    unsigned texts = 0;
    struct { const char *at; size_t n; } text[ARRAY_LEN(text_at)];      /* that it has */
    union head h = { .of = { *s, *s->group } };
    h.of.spec.group = NULL;
#pragma GCC unroll 9
    for (size_t i = 0; i < ARRAY_LEN(text_at); i++) {
        const char *at = text_of(s, i);
        if (at == NULL) continue;
        text[n_texts].at = at;
        text[n_texts].n = strlen(at) + 1;
        texts |= 1U << i;
        set_text(&h.of.spec, i, (const char *)n);
        n += text[n_texts++].n;
    }
    const size_t want = from + sizeof(struct packed) + n + ALIGN;
    /* Many jobs: room for all at once, so that they are not moved again and again; what is not used takes no memory. */
    MEM_ROOM(x->memory, x->cap_memory, want > MANY && want < (size_t)x->most ? (size_t)x->most : want);
    struct packed *p = (void *)(x->memory + from);
    char *to = keep_words(x, &h, p);
    if (more_groups > 0) memcpy(to, s->group + 1, more_groups);
    to += more_groups;
    for (size_t i = 0; i < n_texts; to += text[i++].n) memcpy(to, text[i].at, text[i].n);
    memset(to, 0, ALIGN);
    p->texts = (uint16_t)texts;
    p->n_blocks = (uint32_t)(((size_t)(to - (char *)p) + ALIGN - 1) / ALIGN);
    return bytes_of(p);
}

/* What pack packed, in j; those of its words that vary and are not kept are as in the first. */
static const char *unpack(const struct spill *x, const struct packed *p, struct spill_job *j)
{
    const uint64_t *from = (const void *)(p + 1);
    const size_t rest = bytes_of(p) - sizeof *p - p->n_words * sizeof *from;
    const bool is_first = j->record == NULL;
    MEM_RESERVE(j->record, j->cap_record, sizeof x->first + rest);
    union head *h = (void *)j->record;
    if (is_first) *h = x->first;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < p->n_words; i++) h->word[x->varies[i]] = from[i];
    for (uint32_t i = p->n_words; i < j->n_words; i++) h->word[x->varies[i]] = x->first.word[x->varies[i]];
    j->n_words = p->n_words;
    memcpy(h + 1, from + p->n_words, rest);
    return j->record;
}

enum st spill_add(struct spill *x, const struct job_spec *s, struct diag *d)
{
    SIM_ASSERT(spill_can_keep(s) && s->n_groups > 0);
    if (x->tmp == NULL && spill_is_full(x)) TRY(leave_memory(x, d));
    const size_t from = x->tmp == NULL ? (size_t)x->end : 0;    /* with a file, memory holds the one record */
    const size_t bytes = pack(x, from, s);
    MEM_ROOM(x->at, x->cap, x->n + 1);
    x->at[x->n++] = (struct entry){ .submit = s->submit, .offset = x->end | (s->after != NULL) };
    x->end += (int64_t)bytes;
    bool ok = x->tmp == NULL || fwrite(x->memory, 1, bytes, x->tmp) == bytes;
    return ok ? ST_OK : diag_set(d, ST_EWORLD, "cannot write the temporary file that sorts the trace: %s", strerror(errno));
}

/* What entries are sorted by: the time since `least`, and of equal times, if by_waits, who waits comes last. */
struct order { sim_tick least; bool by_waits; };
enum { DIGIT = 11 };            /* bits */
static size_t digit_of(const struct order *o, const struct entry *e, int shift)
{
    const uint64_t key = (uint64_t)(e->submit - o->least) << 1 | (o->by_waits && waits(e));
    return key >> shift & ((1 << DIGIT) - 1);
}

/* Digit by digit from the last, so that ties stay as they are. */
static void sort(struct spill *x, const struct order *o, sim_tick latest)
{
    struct entry *from = x->at, *to;
    int shift = 0;
    MEM_ARRAY(to, x->n);
    for (uint64_t left = (uint64_t)(latest - o->least) << 1 | 1; left > 0; left >>= DIGIT, shift += DIGIT) {
        size_t at[(1 << DIGIT) + 1] = { 0 };
        for (size_t i = 0; i < x->n; i++) at[digit_of(o, &from[i], shift) + 1]++;
        for (size_t k = 1; k < ARRAY_LEN(at); k++) at[k] += at[k - 1];
        for (size_t i = 0; i < x->n; i++) to[at[digit_of(o, &from[i], shift)]++] = from[i];
        struct entry *const was = from;
        from = to;
        to = was;
    }
    x->at = from;
    x->cap = x->n;
    mem_free(to);
}

/* Of sorted jobs. */
static void shuffle_ties(struct spill *x, uint64_t tie_seed)
{
    struct rng g;
    size_t first = 0;
    rng_init(&g, tie_seed, "ties of jobs", 0);
    for (size_t i = 1; i < x->n; i++) {
        if (x->at[i].submit != x->at[first].submit) first = i;
        if (waits(&x->at[i])) continue;
        const size_t k = first + (size_t)rng_below(&g, i - first + 1);
        const struct entry e = x->at[i];
        x->at[i] = x->at[k];
        x->at[k] = e;
    }
}

/*
 * Leave out those that come behind the first so many: the range of times in at most 2^DIGIT parts, and what is in the
 * parts behind the one where these are complete.  Returns the latest time that may be left.
 */
static sim_tick cut(struct spill *x, uint64_t first, sim_tick least, sim_tick latest)
{
    size_t in[1 << DIGIT] = { 0 }, n = 0, part = 0;
    int shift = 0;
    while ((uint64_t)(latest - least) >> shift >= ARRAY_LEN(in)) shift++;
    for (size_t i = 0; i < x->n; i++) in[(uint64_t)(x->at[i].submit - least) >> shift]++;
    while (n < first) n += in[part++];
    const uint64_t end = (uint64_t)part << shift;
    n = 0;
    for (size_t i = 0; i < x->n; i++)
        if ((uint64_t)(x->at[i].submit - least) < end) x->at[n++] = x->at[i];
    x->n = n;
    return i64_min(latest, least + (sim_tick)(end - 1));
}

/* Of sorted jobs the records, one after another; what the others took is given back. */
static void gather(struct spill *x)
{
    char *const from = x->memory;
    x->memory = mem_grow(NULL, (size_t)x->end, 1);
    x->end = 0;
    for (size_t i = 0; i < x->n; i++) {
        const struct packed *p = (const void *)(from + place_of(&x->at[i]));
        const size_t bytes = bytes_of(p);
        memcpy(x->memory + x->end, p, bytes);
        x->at[i].offset = x->end | waits(&x->at[i]);
        x->end += (int64_t)bytes;
    }
    mem_free(from);
    x->cap_memory = (size_t)x->end;
    x->memory = mem_grow(x->memory, x->cap_memory, 1);
}

enum st spill_sort(struct spill *x, sim_tick origin, sim_tick from, sim_tick to, uint64_t tie_seed, uint64_t most,
                   struct diag *d)
{
    if (x->tmp != NULL && fflush(x->tmp) != 0)
        return diag_set(d, ST_EWORLD, "cannot write the temporary file that sorts the trace: %s", strerror(errno));
    const size_t n_all = x->n;
    size_t n = 0;
    bool sorted = true;
    sim_tick least = INT64_MAX, latest = INT64_MIN;
    for (size_t i = 0; i < x->n; i++) {
        const struct entry e = x->at[i];
        if (e.submit - origin < from || e.submit - origin >= to) continue;
        sorted = sorted && e.submit >= latest;
        least = i64_min(least, e.submit);
        latest = i64_max(latest, e.submit);
        x->at[n++] = e;
    }
    x->n = n;
    if (n > 0 && (!sorted || tie_seed > 0)) {
        if (most > 0 && most < n) latest = cut(x, most, least, latest);
        sort(x, &(const struct order){ least, tie_seed > 0 }, latest);
    }
    if (tie_seed > 0) shuffle_ties(x, tie_seed);
    if (x->tmp == NULL && x->n < n_all / 2) gather(x);
    return ST_OK;
}

static enum st read_bytes(void *to, size_t n, int64_t at, const struct spill *x, struct diag *d)
{
    if (scratch_read(x->tmp, to, n, at)) return ST_OK;
    return diag_set(d, ST_EWORLD, "cannot read the temporary file that sorts the trace: %s",
                    errno != 0 ? strerror(errno) : "it is too short");
}

/* The bytes of the record at this place of the file, in j. */
static enum st read_record(const struct spill *x, int64_t at, struct spill_job *j, struct diag *d)
{
    /* Nearly every job fits the first read; a long one takes a second. */
    const size_t first = (size_t)i64_min(FIRST_READ, x->end - at);
    MEM_RESERVE(j->bytes, j->cap, FIRST_READ);
    TRY(read_bytes(j->bytes, first, at, x, d));
    const size_t bytes = bytes_of((const void *)j->bytes);
    if (bytes <= first) return ST_OK;
    MEM_RESERVE(j->bytes, j->cap, bytes);
    return read_bytes(j->bytes + first, bytes - first, at + (int64_t)first, x, d);
}

enum st spill_read(const struct spill *x, uint64_t k, struct spill_job *j, struct job_spec *out, struct diag *d)
{
    if (k >= x->n) return ST_END;
    if (x->tmp != NULL) TRY(read_record(x, place_of(&x->at[k]), j, d));
    const struct packed *p = (const void *)(x->tmp != NULL ? j->bytes : x->memory + place_of(&x->at[k]));
    const char *r = unpack(x, p, j);
    *out = ((const union head *)(const void *)r)->of.spec;
    out->group = &((const union head *)(const void *)r)->of.group;
    for (unsigned left = p->texts; left != 0; left &= left - 1) {
        const size_t i = (size_t)__builtin_ctz(left);
        set_text(out, i, r + (uintptr_t)text_of(out, i));
    }
    return ST_OK;
}

void spill_job_fini(struct spill_job *j) { MEM_FREE(j->bytes, j->record); }
