/* specs.c -- every combination of a policy's choices, or each choice on its own. */
#include "host/conform/specs.h"

#include <stdio.h>
#include <string.h>
#include "host/policy_load.h"

/* NULL: not a parameter of few values. */
static const char *choices_of(const struct pol_param *p)
{
    return p->type == POL_CHOICE || p->type == POL_PLUGIN ? p->choices : p->type == POL_BOOL ? "false|true" : NULL;
}

static uint32_t n_choices(const struct pol_param *p)
{
    uint32_t n = 1;
    if (choices_of(p) == NULL) return 1;
    for (const char *s = choices_of(p); *s != '\0'; s++) n += *s == '|';
    return n;
}

/*
 * How long a policy's rounds last, where it has such a parameter: longer than most jobs of the cases, so that who is
 * stopped at the end of each gets on, and short enough for as many as are needed in the 20 ms of a case.
 */
#define ROUND "400us"
static bool is_round(const struct pol_param *p) { return p->type == POL_DURATION && strcmp(p->name, "round") == 0; }

static void add_spec(struct conform_specs *s, const char *name, const struct pol_ops *o, uint64_t which, uint32_t only)
{
    char *to = s->spec[s->n++];
    size_t at = (size_t)snprintf(to, CONFORM_SPEC_LEN, "%s", name);
    char sep = ':';
    for (uint32_t k = 0; k < o->n_params; k++) {
        uint32_t n = n_choices(&o->params[k]);
        const char *choice = is_round(&o->params[k]) ? ROUND : choices_of(&o->params[k]);
        if (choice == NULL || (only != NONE && only != k && !is_round(&o->params[k]))) continue;
        for (uint64_t skip = which % n; skip > 0; skip--) choice = strchr(choice, '|') + 1;
        which /= n;
        if (at < CONFORM_SPEC_LEN)
            at += (size_t)snprintf(to + at, CONFORM_SPEC_LEN - at, "%c%s=%.*s", sep, o->params[k].name, (int)strcspn(choice, "|"), choice);
        sep = ',';
    }
}

void conform_specs(struct conform_specs *s, const char *spec, const struct pol_ops *o)
{
    uint64_t n = 1;
    size_t path = policy_load_path_len(spec);
    s->n = 0;
    s->is_each_alone = false;
    memset(s->is_refused, 0, sizeof s->is_refused);
    if (spec[path] != '\0' && strchr(spec + path, ':') != NULL) {
        (void)snprintf(s->spec[s->n++], CONFORM_SPEC_LEN, "%s", spec);
        return;
    }
    for (uint32_t k = 0; k < o->n_params && n <= CONFORM_SPECS; k++) n *= n_choices(&o->params[k]);
    if (n <= CONFORM_SPECS) {
        for (uint64_t i = 0; i < n; i++) add_spec(s, spec, o, i, NONE);
        return;
    }
    s->is_each_alone = true;
    for (uint32_t k = 0; k < o->n_params; k++)
        for (uint64_t i = 0; choices_of(&o->params[k]) != NULL && i < n_choices(&o->params[k]) && s->n < CONFORM_SPECS; i++) add_spec(s, spec, o, i, k);
}

/* The sign before the first choice, or the end. */
static const char *choices_in(const char *spec)
{
    const char *at = spec + policy_load_path_len(spec);
    return at + strcspn(at, ":");
}

static bool is_accepted(const struct conform_specs *s, const char *choice, size_t len)
{
    for (uint32_t k = 0; k < s->n; k++)
        for (const char *at = s->is_refused[k] ? NULL : choices_in(s->spec[k]);
             at != NULL && *at != '\0'; at += 1 + strcspn(at + 1, ","))
            if (strncmp(at + 1, choice, len) == 0 && (at[1 + len] == ',' || at[1 + len] == '\0')) return true;
    return false;
}

bool conform_specs_lack(const struct conform_specs *s, char *out)
{
    for (uint32_t k = 0; k < s->n; k++)
        for (const char *at = choices_in(s->spec[k]); s->is_refused[k] && *at != '\0';) {
            size_t len = strcspn(at + 1, ",");
            if (!is_accepted(s, at + 1, len)) {
                (void)snprintf(out, CONFORM_SPEC_LEN, "%.*s", (int)len, at + 1);
                return true;
            }
            at += 1 + len;
        }
    return false;
}

void conform_slow_spec(char *out, const char *spec)
{
    const char *at = strstr(spec, "round=" ROUND);
    (void)snprintf(out, CONFORM_SPEC_LEN, "%s", spec);
    if (at == NULL || at == spec || (at[-1] != ':' && at[-1] != ',')) return;
    /* With the sign before it, or if it was the first of several the one behind. */
    const char *rest = at + strlen("round=" ROUND);
    const bool keeps = at[-1] == ':' && *rest == ',';
    (void)snprintf(out + (at - spec) - !keeps, CONFORM_SPEC_LEN - (size_t)(at - spec), "%s", rest + keeps);
}
