/* The parts of a policy in another process: what is written, what is read, the table of live jobs, and limits on waiting. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "host/exec/child.h"
#include "host/exec/exec.h"
#include "host/exec/handles.h"
#include "host/exec/planned.h"
#include "host/exec/reply.h"
#include "host/exec/message.h"
#include "host/policy_view.h"
#include "base/mem.h"
#include "base/rng.h"
#include "ref/limit.h"

/* ---- writing ---- */

static void expect_text(struct json_text *w, const char *want)
{
    cr_expect(w->n == strlen(want) && memcmp(w->s, want, w->n) == 0, "found %.*s, expected %s", (int)w->n, w->s, want);
    w->n = 0;
}

Test(json_text, integers_are_written_to_their_limits)
{
    struct json_text w = { 0 };
    json_text_int(&w, 0);
    expect_text(&w, "0");
    json_text_int(&w, INT64_MAX);
    expect_text(&w, "9223372036854775807");
    json_text_int(&w, INT64_MIN);
    expect_text(&w, "-9223372036854775808");
    json_text_fini(&w);
}

Test(json_text, numbers_read_back_as_they_were)
{
    static const double v[] = { 0, 2, 0.1, 1.0 / 3, 1e300, 5.7, -2.5e-12 };
    static const char *const want[] = { "0", "2", "0.1", "0.33333333333333331", "1e+300", "5.7", "-2.5e-12" };
    struct json_text w = { 0 };
    for (size_t i = 0; i < ARRAY_LEN(v); i++) {
        json_text_number(&w, v[i]);
        expect_text(&w, want[i]);
    }
    json_text_uint(&w, UINT64_MAX);
    expect_text(&w, "18446744073709551615");
    json_text_fini(&w);
}

/* RFC 8259, section 7: quotes, backslashes and controls are escaped; RFC 3629: what is UTF-8. */
Test(json_text, strings_are_escaped_and_bytes_that_are_no_utf8_are_told_as_latin1)
{
    static const struct { const char *in, *out; } t[] = {
        { "plain", "\"plain\"" }, { "a\"b\\c", "\"a\\\"b\\\\c\"" }, { "\t\n\x01\x7f", "\"\\u0009\\u000a\\u0001\\u007f\"" },
        { "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"" },
        { "\xe9t\xe9", "\"\\u00e9t\\u00e9\"" },                 /* Latin-1 */
        { "\xc0\xaf", "\"\\u00c0\\u00af\"" },                   /* overlong */
        { "\xed\xa0\x80", "\"\\u00ed\\u00a0\\u0080\"" },        /* a surrogate */
        { "\xf4\x90\x80\x80", "\"\\u00f4\\u0090\\u0080\\u0080\"" },     /* above U+10FFFF */
        { "cut \xe2\x82", "\"cut \\u00e2\\u0082\"" },
    };
    struct json_text w = { 0 };
    for (size_t i = 0; i < ARRAY_LEN(t); i++) {
        json_text_string(&w, t[i].in);
        expect_text(&w, t[i].out);
    }
    json_text_fini(&w);
}

Test(message, hello_carries_weights_and_refuses_what_is_none)
{
    struct json_text w = { 0 };
    cr_expect(message_hello(&w, "a:b:2;bob:0.5"));     /* a name may hold a colon: the last one counts */
    w.s[w.n - 1] = '\0';
    cr_expect_not_null(strstr(w.s, "\"weights\":{\"a:b\":2,\"bob\":0.5}}"), "%s", w.s);
    static const char *const bad[] = { "bob", "bob:", ":2", "bob:0", "bob:-1", "bob:x" };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        w.n = 0;
        cr_expect_not(message_hello(&w, bad[i]), "%s", bad[i]);
    }
    json_text_fini(&w);
}

/* ---- reading ---- */

Test(reply, decisions_are_read_with_every_field)
{
    static const char line[] = "{\"msg\":\"decisions\",\"decisions\":["
        "{\"do\":\"start\",\"job\":7,\"task\":3,\"node\":5,\"cards\":[0,63],\"reason\":\"w\"},"
        "{\"do\":\"start_gang\",\"job\":8,\"nodes\":[1,2],\"cards\":[[0],[1,2]]},"
        "{\"do\":\"start_gang\",\"job\":9,\"nodes\":[4],\"cpu\":[500],\"mem\":[4096]},"
        "{\"do\":\"resize\",\"job\":9,\"task\":1,\"cpu\":250,\"mem\":2048},"
        "{\"do\":\"preempt\",\"job\":7,\"task\":0},{\"do\":\"wake\",\"at\":9223372036854775807},"
        "{\"do\":\"note\",\"name\":\"n\",\"value\":2},{\"do\":\"fail\",\"message\":\"m\"}]}";
    char error[REPLY_ERROR_MAX] = "";
    struct reply r = { 0 };
    struct reply_decision d;
    cr_assert(reply_open(&r, line, sizeof line - 1, error), "%s", error);
    cr_expect(r.n == 8 && !r.is_query);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_START && d.job == 7 && d.task == 3 && d.n_places == 1 && d.place[0].node == 5);
    cr_expect(d.place[0].cards == (UINT64_C(1) << 63 | 1) && strcmp(d.text, "w") == 0);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_START_GANG && d.job == 8 && d.n_places == 2 && d.text == NULL);
    cr_expect(d.place[0].node == 1 && d.place[0].cards == 1 && d.place[1].node == 2 && d.place[1].cards == 6);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.n_places == 1 && d.place[0].node == 4 && d.place[0].cards == 0 && d.place[0].cpu_milli == 500);
    cr_expect(d.place[0].mem_b == 4096);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_RESIZE && d.job == 9 && d.task == 1 && d.cpu_milli == 250 && d.mem_b == 2048);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_PREEMPT && d.job == 7 && d.task == 0);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_WAKE && d.at_us == INT64_MAX);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_NOTE && strcmp(d.text, "n") == 0 && d.value == 2);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_FAIL && strcmp(d.text, "m") == 0 && r.next == 8);
    static const char query[] = "{\"msg\":\"query\",\"job\":1,\"task\":2,\"nodes\":[3,4]}";
    cr_assert(reply_open(&r, query, sizeof query - 1, error), "%s", error);
    cr_expect(r.is_query && r.job == 1 && r.task == 2 && r.n_nodes == 2 && r.node[0] == 3 && r.node[1] == 4);
    reply_fini(&r);
}

/* A cluster with two kinds of engines, and two of licences. */
static const char *two_names(void *ctx, uint32_t kind, uint32_t id)
{
    static const char *const engine[] = { "cpu", "gpu" }, *const licence[] = { "solver", "viewer" };
    (void)ctx;
    return id > 1 ? NULL : kind == POL_NAME_ENGINE ? engine[id] : kind == POL_NAME_LICENCE ? licence[id] : NULL;
}

Test(reply, decisions_about_workflows_and_calls_are_read_with_every_field)
{
    static const char line[] = "{\"msg\":\"decisions\",\"decisions\":["
        "{\"do\":\"hold\",\"job\":1,\"task\":2,\"head\":true,\"reason\":\"w\"},{\"do\":\"hold\",\"job\":1,\"task\":2,\"reason\":\"w\"},"
        "{\"do\":\"reserve\",\"job\":3,\"stage\":4,\"reserved\":{\"cpu\":8000,\"gpu\":2500,\"licences\":{\"viewer\":3}},\"need\":{\"cpu\":6000,\"licences\":{\"viewer\":1}}},"
        "{\"do\":\"reserve\",\"job\":3,\"stage\":4,\"reserved\":{\"cpu\":9},\"need\":{\"cpu\":8},\"lendable\":{\"cpu\":7},\"usable\":{\"cpu\":6},\"reclaimed\":{\"cpu\":5},\"reason\":\"x\"},"
        "{\"do\":\"lend\",\"job\":5,\"task\":6,\"lender\":7},{\"do\":\"lend\",\"job\":5,\"task\":6,\"lender\":7,\"amount\":{\"gpu\":500,\"licences\":{\"viewer\":2}}},{\"do\":\"send\",\"job\":8,\"task\":9,\"node\":10},"
        "{\"do\":\"call\",\"job\":11,\"task\":12,\"node\":13,\"engine\":\"gpu\",\"reason\":\"y\"}]}";
    const struct pol_host host = { .name = two_names };
    char error[REPLY_ERROR_MAX] = "";
    struct reply r = { .host = &host };
    struct reply_decision d;
    cr_assert(reply_open(&r, line, sizeof line - 1, error), "%s", error);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_HOLD && d.job == 1 && d.task == 2 && d.flag && strcmp(d.text, "w") == 0);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_HOLD && !d.flag);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_RESERVE && d.job == 3 && d.reserve.stage == 4 && d.text == NULL);
    cr_expect(d.reserve.reserved.cpu_milli == 8000 && d.reserve.reserved.gpu_milli == 2500 && d.reserve.reserved.licence[1] == 3);
    cr_expect(d.reserve.need.cpu_milli == 6000 && d.reserve.need.gpu_milli == 0 && d.reserve.need.licence[1] == 1);
    cr_expect(d.reserve.lendable.cpu_milli == 2000 && d.reserve.lendable.gpu_milli == 2500 && d.reserve.lendable.licence[1] == 2, "reserved less need");
    cr_expect(d.reserve.usable.cpu_milli == 8000 && d.reserve.usable.licence[1] == 3 && d.reserve.reclaimed.cpu_milli == 0, "nothing was lent");
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.reserve.lendable.cpu_milli == 7 && d.reserve.usable.cpu_milli == 6 && d.reserve.reclaimed.cpu_milli == 5 && strcmp(d.text, "x") == 0);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_LEND && d.job == 5 && d.task == 6 && d.lender == 7 && d.flag, "all that it holds");
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_LEND && !d.flag && d.amount.cpu_milli == 0 && d.amount.gpu_milli == 500 && d.amount.licence[1] == 2);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_SEND && d.job == 8 && d.task == 9 && d.node == 10);
    cr_assert(reply_next(&r, &d, error), "%s", error);
    cr_expect(d.verb == POL_VERB_CALL && d.job == 11 && d.task == 12 && d.node == 13 && d.engine == 1 && strcmp(d.text, "y") == 0);
    static const char query[] = "{\"msg\":\"query\",\"job\":1,\"task\":2,\"overhead\":[[0,1,2],[3,4,5]]}";
    cr_assert(reply_open(&r, query, sizeof query - 1, error), "%s", error);
    cr_expect(r.is_query && r.n_nodes == 0 && r.n_ways == 2 && r.way[1].call == 3 && r.way[1].from == 4 && r.way[1].to == 5);
    reply_fini(&r);
}

/*
 * Three nodes of 8 cores: 0 with two cards of 16 bytes, the first of them half
 * in use, at most three tasks, one of which runs; 1 with an engine; 2 is down.
 * Shapes: half a card with 4 bytes, 2 cores, the engine, all of a node, nothing.
 */
static const struct pol_node three[] = {
    { .cpu_total = 8000, .cpu_free = 6000, .mem_total = 64, .mem_free = 64, .n_gpu = 2, .n_tasks = 1, .max_tasks = 3, .is_up = 1 },
    { .cpu_total = 8000, .cpu_free = 8000, .mem_total = 64, .mem_free = 64, .card0 = 2, .gpu_type = POL_NONE, .is_up = 1, .engine_total = { 0, 1 }, .engine_free = { 0, 1 } },
    { .cpu_total = 8000, .cpu_free = 8000, .mem_total = 64, .mem_free = 64, .card0 = 2, .gpu_type = POL_NONE },
};
static const struct pol_card two_cards[] = { { 16, 8, 500, 0, 0, 0 }, { 16, 16, 1000, 0, 0, 0 } };
static const struct pol_shape five[] = {
    { .n_gpu = 1, .gpu_milli = 500, .gpu_mem_b = 4 }, { .cpu_milli = 2000 }, { .engine = { 0, 1 } }, { .exclusive = 1 }, { 0 }
};
static const struct pol_view of_three = { .n_nodes = 3, .node = three, .n_cards = 2, .card = two_cards, .n_shapes = 5, .shape = five };

/* Every prefix of a line, and every line with one byte changed: an error or not, never a crash, and always a reason. */
static void try_odd_lines(const char *line)
{
    const struct pol_host host = { .name = two_names };
    size_t len = strlen(line);
    char *text = mem_strdup(line);
    struct reply r = { .host = &host };
    struct json_text out = { 0 };
    struct planned p = { 0 };
    struct rng g;
    rng_init(&g, 1, "odd", 0);
    planned_sync(&p, &of_three);
    size_t n_refused = 0;
    for (int i = 0; i < 20000; i++) {
        char error[REPLY_ERROR_MAX] = "";
        struct reply_decision d;
        size_t n = i <= (int)len ? (size_t)i : len;
        memcpy(text, line, len);
        if (i > (int)len) text[rng_below(&g, n)] = (char)rng_below(&g, 256);
        bool ok = reply_open(&r, text, n, error);
        while (ok && !r.is_query && r.next < r.n) ok = reply_next(&r, &d, error);
        out.n = 0;
        ok = ok && (!r.asks_fits || planned_answer(&p, &out, &of_three, &r, INT64_MAX, error));
        n_refused += !ok;
        cr_assert(ok || error[0] != '\0', "no reason for %.*s", (int)n, text);
    }
    cr_expect(n_refused > 10000 && n_refused < 20000, "%zu refused", n_refused);
    json_text_fini(&out);
    planned_fini(&p);
    reply_fini(&r);
    mem_free(text);
}

Test(reply, no_line_is_too_odd)
{
    try_odd_lines("{\"msg\":\"decisions\",\"decisions\":[{\"do\":\"start_gang\",\"job\":8,\"nodes\":[1,2],\"cards\":[[0],[1,2]],\"reason\":\"w\"}]}");
    try_odd_lines("{\"msg\":\"decisions\",\"decisions\":[{\"do\":\"reserve\",\"job\":3,\"stage\":4,\"reserved\":{\"cpu\":8,\"licences\":{\"viewer\":3}},\"need\":{\"gpu\":6}},"
                  "{\"do\":\"call\",\"job\":1,\"task\":2,\"node\":3,\"engine\":\"gpu\"},{\"do\":\"hold\",\"job\":1,\"task\":2,\"reason\":\"w\"}]}");
    try_odd_lines("{\"msg\":\"query\",\"job\":1,\"task\":2,\"nodes\":[1,2],\"overhead\":[[0,1,2],[3,4,5]]}");
    try_odd_lines("{\"msg\":\"query\",\"fits\":[[1,2],[3]],\"nodes\":[1,2],\"empty\":true,\"states\":[{\"node\":0,\"up\":true,\"tasks\":2,\"cpu\":3,\"mem\":4,"
                  "\"gpu\":[5,6],\"gpu_mem\":[7,8]},{\"node\":1,\"gpu\":[],\"engines\":{\"gpu\":1}}]}");
}

Test(reply, hello_gives_name_label_and_flags)
{
    static const char line[] = "{\"msg\":\"hello\",\"protocol\":1,\"name\":\"mine\",\"source\":\"s\",\"summary\":\"y\","
                               "\"params\":{\"a\":\"1\",\"b\":\"x\"},\"flags\":[\"clairvoyant\",\"preempts\",\"by_count\",\"strands\",\"runs_calls\"]}";
    char error[REPLY_ERROR_MAX] = "";
    struct reply_hello h;
    cr_assert(reply_hello(&h, line, sizeof line - 1, error), "%s", error);
    cr_expect_str_eq(h.name, "mine");
    cr_expect_str_eq(h.label, "mine:a=1,b=x");
    cr_expect(strcmp(h.source, "s") == 0 && strcmp(h.summary, "y") == 0 && h.flags == (POL_CLAIRVOYANT | POL_PREEMPTS | POL_BY_COUNT | POL_STRANDS | POL_RUNS_CALLS));
    reply_hello_fini(&h);
}

/* ---- live jobs ---- */

struct fake { struct pol_job_info job; struct pol_task_info task; };
static const struct pol_job_info *lend_job(void *ctx, pol_job j)
{
    struct fake *f = ctx;
    f->job = (struct pol_job_info){ .ordinal = j.slot, .first_task = { j.slot, j.gen }, .n_tasks = 1 };
    return &f->job;
}
static const struct pol_task_info *lend_task(void *ctx, pol_task t)
{
    struct fake *f = ctx;
    f->task = (struct pol_task_info){ .job = { t.slot, t.gen }, .next = { POL_NONE, 0 } };
    return &f->task;
}

/* Against an array of who is live: jobs arrive in order and end in any. */
Test(handles, finds_exactly_the_live_jobs)
{
    enum { N = 5000 };
    static bool live[N];
    struct fake fake;
    struct pol_host h = { .ctx = &fake, .job = lend_job, .task = lend_task };
    struct handles t = { 0 };
    struct rng g;
    rng_init(&g, 1, "poljobs", 0);
    for (uint32_t next = 0, n = 0; next < N;) {
        if (rng_below(&g, 100) < 55) {
            handles_add(&t, &h, (pol_job){ next, 9 });
            live[next++] = true;
            n++;
        } else if (next > 0) {
            uint32_t k = (uint32_t)rng_below(&g, next);
            handles_del(&t, k);
            n -= live[k];
            live[k] = false;
        }
        cr_assert(t.of_ordinal.n == n && t.n_seen == next);
        uint32_t from = next > 300 ? next - 300 : 0;
        for (uint32_t k = from; k < next + 2 && k < N; k++) {
            const struct handles_job *e = handles_find(&t, k);
            cr_assert((e != NULL) == live[k] && (e == NULL || (e->ordinal == k && e->job.slot == k && e->task[0].slot == k)), "job %u", k);
        }
    }
    handles_fini(&t);
}

/* ---- where requests fit ---- */

/* What is said to `{"msg":"query",` + question: the answer's list, or what is wrong. */
static const char *fits(struct planned *p, const char *question)
{
    static const char head[] = "{\"msg\":\"answer\",\"fits\":";
    static char line[1000], answer[1000];
    char error[REPLY_ERROR_MAX] = "";
    const struct pol_host host = { .name = two_names };
    struct reply r = { .host = &host };
    struct json_text out = { 0 };
    int n = snprintf(line, sizeof line, "{\"msg\":\"query\",%s}", question);
    cr_assert(reply_open(&r, line, (size_t)n, error) && r.is_query && r.asks_fits, "%s", error);
    if (planned_answer(p, &out, &of_three, &r, INT64_MAX, error)) {
        cr_assert(out.n < sizeof answer && memcmp(out.s, head, sizeof head - 1) == 0 && memcmp(out.s + out.n - 2, "}\n", 2) == 0);
        (void)snprintf(answer, sizeof answer, "%.*s", (int)(out.n - sizeof head - 1), out.s + sizeof head - 1);
    } else (void)snprintf(answer, sizeof answer, "%s", error);
    json_text_fini(&out);
    reply_fini(&r);
    return answer;
}

Test(planned, places_are_found_one_after_the_other_on_the_first_nodes)
{
    struct planned p = { 0 };
    planned_sync(&p, &of_three);
    cr_expect_str_eq(fits(&p, "\"fits\":[[0,9]]"), "[[[0,[0]],[0,[1]]]]", "the fuller card first; a third would be a fourth task there");
    cr_expect_str_eq(fits(&p, "\"fits\":[[1,3],[1,9]]"), "[[[0,[]],[0,[]],[1,[]]],[[0,[]],[0,[]],[1,[]],[1,[]],[1,[]],[1,[]]]]", "requests do not see each other");
    cr_expect_str_eq(fits(&p, "\"fits\":[[1],[2],[3],[4]]"), "[[[0,[]],[1,[]]],[[1,[]]],[[1,[]]],[[0,[]],[1,[]]]]", "one on each");
    cr_expect_str_eq(fits(&p, "\"fits\":[[3,4294967294],[2,7]]"), "[[[1,[]]],[[1,[]]]]");
    cr_expect_str_eq(fits(&p, "\"fits\":[[1,1],[4]],\"nodes\":[1,2,0]"), "[[[1,[]]],[[1,[]],[0,[]]]]", "in the order in which they are named");
    cr_expect_str_eq(fits(&p, "\"fits\":[[1]],\"nodes\":[]"), "[[]]");
    cr_expect_str_eq(fits(&p, "\"fits\":[]"), "[]");
    cr_expect_str_eq(fits(&p, "\"fits\":[[3],[0,9]],\"empty\":true"), "[[[0,[0,1]],[1,[]],[2,[]]],[[0,[0]],[0,[0]],[0,[1]]]]");
    planned_fini(&p);
}

Test(planned, what_the_child_plans_holds_until_the_round_is_over)
{
    struct planned p = { 0 };
    planned_sync(&p, &of_three);
    cr_expect_str_eq(fits(&p, "\"fits\":[[0,9]],\"states\":[{\"node\":0,\"tasks\":0,\"gpu\":[0,1000],\"gpu_mem\":[16,7]}]"), "[[[0,[1]]]]");
    cr_expect_str_eq(fits(&p, "\"fits\":[[0,9],[1]]"), "[[[0,[1]]],[[0,[]],[1,[]]]]");
    cr_expect_str_eq(fits(&p, "\"fits\":[[1],[2]],\"states\":[{\"node\":0,\"cpu\":1999},{\"node\":1,\"engines\":{\"gpu\":0}},{\"node\":2,\"up\":true}]"), "[[[1,[]],[2,[]]],[]]");
    cr_expect_str_eq(fits(&p, "\"fits\":[[1]],\"states\":[{\"node\":1,\"mem\":0,\"up\":false},{\"node\":0,\"cpu\":2000}]"), "[[[0,[]],[2,[]]]]");
    planned_sync(&p, &of_three);
    cr_expect_str_eq(fits(&p, "\"fits\":[[0,9],[1],[2]]"), "[[[0,[0]],[0,[1]]],[[0,[]],[1,[]]],[[1,[]]]]");
    cr_expect_str_eq(fits(&p, "\"fits\":[[1]],\"states\":[{\"node\":1,\"engines\":{\"gpu\":2}}]"), "state 1 of 1: 'engines' is 2; node 1 has at most 1");
    planned_fini(&p);
}

/* The shape asks for nothing, so that each node takes as many as are asked for. */
Test(planned, an_answer_is_neither_too_long_nor_too_late)
{
    static const char line[] = "{\"msg\":\"query\",\"fits\":[[4,4294967294]]}";
    char error[REPLY_ERROR_MAX] = "";
    struct reply r = { 0 };
    struct json_text out = { 0 };
    struct planned p = { 0 };
    planned_sync(&p, &of_three);
    cr_assert(reply_open(&r, line, sizeof line - 1, error), "%s", error);
    p.node[0].max_tasks = 0;
    cr_expect_not(planned_answer(&p, &out, &of_three, &r, INT64_MAX, error));
    cr_expect_str_eq(error, "the answer is longer than 64 MiB");
    cr_expect(out.n < (64 << 20) + 100);
    r.request[0].n = 1;
    out.n = 0;
    cr_expect_not(planned_answer(&p, &out, &of_three, &r, child_clock() - 1, error));
    cr_expect_str_eq(error, "the time for the round is over before it is answered");
    json_text_fini(&out);
    reply_fini(&r);
    planned_fini(&p);
}

/* ---- waiting ---- */

static char said[1000];
static void on_fail(void *ctx, const char *message) { (void)ctx; (void)snprintf(said, sizeof said, "%s", message); }

/* Run a shell command as a policy for one empty round under a limit of 0.3 s; what came of it. */
static const char *outcome(const char *command)
{
    struct policy_view mirror = { 0 };
    struct pol_host h = { .ctx = &mirror, .fail = on_fail };
    struct pol_view v = { 0 };
    policy_view_init(&mirror, &h, &(struct host_tricks){ 0 });
    uint32_t flags = 0;
    union pol_value value[EXEC_PARAMS];
    value[EXEC_COMMAND].s = command;
    value[EXEC_DIR].s = value[EXEC_WEIGHTS].s = "";
    value[EXEC_TIMEOUT].i = 300000;
    said[0] = '\0';
    void *self = exec_ops.create(&h, value, &flags, said, sizeof said);
    if (self == NULL) return said;
    exec_ops.decide(self, &v, NULL, 0);
    exec_ops.destroy(self);
    return said;
}
#define HELLO "read -r x; echo '{\"msg\":\"hello\",\"protocol\":1,\"name\":\"x\"}'; "

Test(exec, a_child_that_says_nothing_is_given_up, .timeout = LIMIT(30))
{
    cr_expect_str_eq(outcome("sleep 60"), "its process gave no answer within 0.3 s and was killed");
    cr_expect_str_eq(outcome(HELLO "sleep 60"), "its process gave no answer within 0.3 s and was killed");
    /* Half a line, again and again, is no answer either. */
    cr_expect_str_eq(outcome(HELLO "while :; do printf x; sleep 0.05; done"), "its process gave no answer within 0.3 s and was killed");
}

Test(exec, a_child_that_answers_has_nothing_said_of_it, .timeout = LIMIT(30))
{
    cr_expect_str_eq(outcome(HELLO "read -r c; read -r d; echo '{\"msg\":\"decisions\",\"decisions\":[]}'; read -r b"), "");
}

Test(exec, a_closed_pipe_is_an_error_and_no_signal, .timeout = LIMIT(30))
{
    cr_expect_str_eq(outcome("exit 4"), "its process closed its pipe and exited with status 4");
    cr_expect_str_eq(outcome("no-such-program 2>&-"), "its process closed its pipe and exited with status 127: the shell did not find the command");
    cr_expect_str_eq(outcome(HELLO "exec <&-; sleep 0.1; exit 6"), "its process closed its pipe and exited with status 6");
}

/* A line of more than the limit is no way to use up our memory.  64 MiB through a pipe take a moment. */
Test(child, a_line_without_end_is_cut_off, .timeout = LIMIT(60))
{
    char error[100], how[80];
    const char *line;
    size_t n;
    struct child *c = child_start("exec cat /dev/zero", NULL, error, sizeof error);
    cr_assert_not_null(c, "%s", error);
    cr_expect(child_read(c, &line, &n, child_clock() + 50 * TICK_SEC) == CHILD_LONG);
    (void)child_end(c, 0, how, sizeof how);
    cr_expect_str_eq(how, "did not end and was killed");
}

Test(child, lines_are_handed_out_one_by_one_whatever_their_size)
{
    char error[100], how[80];
    const char *line;
    size_t n;
    struct child *c = child_start("echo one; echo; head -c 300000 /dev/zero | tr '\\0' x; echo; printf last", NULL, error, sizeof error);
    int64_t end = child_clock() + 20 * TICK_SEC;
    cr_assert_not_null(c, "%s", error);
    cr_expect(child_read(c, &line, &n, end) == CHILD_OK && n == 3 && memcmp(line, "one", 3) == 0);
    cr_expect(child_read(c, &line, &n, end) == CHILD_OK && n == 0);
    cr_expect(child_read(c, &line, &n, end) == CHILD_OK && n == 300000 && line[0] == 'x' && line[n - 1] == 'x');
    cr_expect(child_read(c, &line, &n, end) == CHILD_OK && n == 4 && memcmp(line, "last", 4) == 0);
    cr_expect(child_read(c, &line, &n, end) == CHILD_CLOSED && child_lines(c) == 4);
    cr_expect(child_end(c, 5 * TICK_SEC, how, sizeof how));
}
