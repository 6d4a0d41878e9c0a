/* race_tell.c -- how a race ended, in words and a table, of race.h. */
#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "base/table.h"
#include "search/race.h"
#include "search/tell.h"

/* "set 3 (LAS.queues=2)" */
static void put_set(FILE *to, const struct search *s, const struct trial_set *x)
{
    (void)fprintf(to, "set %zu (", x->number);
    for (size_t v = 0; v < s->trial.spec->n_variables; v++)
        (void)fprintf(to, "%s%s=%s", v > 0 ? ", " : "", s->trial.spec->variable[v].name, x->value[v]);
    (void)fputc(')', to);
}

/* What the winner is, on the seeds that chose it and on those that did not. */
static void put_both(FILE *to, const struct search *s)
{
    const struct trial_set *best = s->ranked[0], *fresh = s->fresh[0];
    (void)fputs(": ", to);
    tell_name(to, s->trial.targets, 0);
    (void)fputs(" is ", to);
    tell_interval(to, &best->ci[0]);
    (void)fprintf(to, " on the %zu seeds that chose it, and ", best->n_met);
    if (fresh->error != NULL) {
        (void)fprintf(to, "on fresh ones there is none: %s.", fresh->error);
        return;
    }
    tell_interval(to, &fresh->ci[0]);
    (void)fprintf(to, " on %zu fresh ones.", fresh->n_met);
}

static void put_winner(FILE *to, const struct search *s)
{
    const size_t n_open = s->n_ranked - 1;
    if (n_open > 0)
        (void)fprintf(to, "not decided: %zu set%s cannot be told from the best one, ", n_open, n_open == 1 ? "" : "s");
    put_set(to, s, s->ranked[0]);
    size_t n_beaten = 0, n_failed = 0;
    for (size_t i = 0; i < s->n_sets - s->n_fresh; i++) {
        n_beaten += s->set[i]->verdict == TRIAL_BEATEN && s->set[i]->error == NULL;
        n_failed += s->set[i]->error != NULL;
    }
    if (n_open == 0 && n_beaten > 0) (void)fprintf(to, " beats every other%s", n_failed > 0 ? " that ran" : "");
    else if (n_open == 0 && n_failed > 0) (void)fputs(" alone ran", to);
    put_both(to, s);
}

static void put_front(FILE *to, const struct search *s)
{
    size_t n_best = 0;
    for (size_t i = 0; i < s->n_ranked; i++) n_best += s->ranked[i]->verdict == TRIAL_BEST;
    if (n_best < s->n_ranked)
        (void)fprintf(to, "not decided: %zu sets off the front are not shown to be worse in both; ",
                      s->n_ranked - n_best);
    (void)fprintf(to, "%zu set%s on the front of ", n_best, n_best == 1 ? " is" : "s are");
    tell_name(to, s->trial.targets, 0);
    (void)fputs(" and ", to);
    tell_name(to, s->trial.targets, 1);
    for (size_t i = 0, k = 0; i < s->n_ranked; i++) {
        if (s->ranked[i]->verdict != TRIAL_BEST) continue;
        (void)fputs(k++ == 0 ? ": " : ", ", to);
        put_set(to, s, s->ranked[i]);
    }
    (void)fputc('.', to);
}

char *race_words(const struct search *s)
{
    struct mem_text text;
    mem_text_open(&text);
    if (s->trial.targets->n > 1) put_front(text.to, s);
    else put_winner(text.to, s);
    return mem_text_close(&text);
}

/* ---- the table ---- */

static void row(struct table *t, const struct search *s, const struct trial_set *x, const struct trial_set *fresh)
{
    table_cell(t, "%zu", x->number);
    table_cell(t, "%s", x->error != NULL ? "error" : trial_verdict_name[x->verdict]);
    table_cell(t, "%zu", x->n_met);
    for (size_t i = 0; i < s->trial.targets->n; i++) {
        if (x->error != NULL) table_cell(t, "%s", "");
        else tell_cell(t, &x->ci[i], "");
        if (fresh == NULL || fresh->error != NULL) table_cell(t, "%s", "");
        else tell_cell(t, &fresh->ci[i], "");
    }
    if (x->by != NULL) tell_cell(t, &x->diff, "");
    else table_cell(t, "%s", "");
    if (x->by != NULL) table_cell(t, "%zu", x->by->number);
    else table_cell(t, "%s", "");
    for (size_t v = 0; v < s->trial.spec->n_variables; v++) table_cell(t, "%s", x->value[v]);
}

enum st race_tell(const struct search *s, FILE *to, struct diag *d)
{
    char *words = race_words(s);
    struct table *t = table_create();
    tell_sentence(words, to);
    mem_free(words);
    table_column(t, "set", true);
    table_column(t, "verdict", false);
    table_column(t, "seeds", true);
    for (size_t i = 0; i < s->trial.targets->n; i++) {
        struct mem_text name;
        mem_text_open(&name);
        tell_name(name.to, s->trial.targets, i);
        char *heading = mem_text_close(&name);
        table_column(t, heading, true);
        table_column(t, "fresh seeds", true);
        mem_free(heading);
    }
    table_column(t, "difference", true);
    table_column(t, "to set", true);
    for (size_t v = 0; v < s->trial.spec->n_variables; v++) table_column(t, s->trial.spec->variable[v].name, true);
    for (size_t i = 0; i < s->n_ranked; i++) row(t, s, s->ranked[i], s->fresh[i]);
    const size_t n_sets = s->n_sets - s->n_fresh;
    for (size_t met = s->ranked[0]->n_met; met > 0; met /= 2) /* the last to drop out first */
        for (size_t i = 0; i < n_sets; i++) {
            const struct trial_set *x = s->set[i];
            const bool is_out = x->verdict == TRIAL_BEATEN || x->error != NULL;
            if (is_out && x->n_met <= met && x->n_met > met / 2) row(t, s, x, NULL);
        }
    (void)fprintf(
        to,
        "\nEvery set, those that raced to the end first, at %.4g %%; the difference, paired by seed, is of the first "
        "objective:\nof a beaten set at the level that dropped it.\n\n",
        100 * s->trial.spec->confidence);
    table_end(t, TABLE_TEXT, to);
    (void)fprintf(to, "\n%zu sets raced, in %llu runs.\n", n_sets, (unsigned long long)s->n_runs);
    return tell_troubles(s, s->ranked[0], to, d);
}
