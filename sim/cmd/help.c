/* help.c -- `fairway help`, and the lists of words that shells complete by, taken from usage texts and tables. */
#include "cmd/help.h"

#include <ctype.h>
#include <string.h>
#include "base/intern.h"
#include "builtin.h"
#include "input/trace/trace.h"
#include "plot/plot.h"

const struct cmd *help_find(const struct cmd_list *all, const char *name)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->at[i]->name, name) == 0) return all->at[i];
    return NULL;
}

void help_print(const struct cmd_list *all, FILE *to)
{
    (void)fprintf(to, "usage: fairway COMMAND [ARGUMENTS]\n\n"
                      "Replay a trace of jobs on a modelled GPU cluster under one or many scheduling policies.\n\n");
    for (size_t i = 0; i < all->n; i++) (void)fprintf(to, "  %-10s %s\n", all->at[i]->name, all->at[i]->summary);
    (void)fprintf(to, "  %-10s %s\n\n", "help", "how a command is used: `fairway help COMMAND`");
    (void)fprintf(to, "A first answer:  fairway run SCENARIO.yaml, then  fairway compare NAME.db\n"
                      "Manuals:  man fairway\n"
                      "          " DIAG_DOC("scenarios/TUTORIAL.md") ": from a CSV file of jobs to an answer\n"
                      "          " DIAG_DOC("scenarios/REFERENCE.md") ": what a scenario may say\n\n"
                      "Exit status: 0 ok, 1 a difference was found or jobs were left unfinished, 2 usage or bad input,\n"
                      "3 the world failed (disk, database, missing gnuplot), 4 a policy broke its contract,\n"
                      "130 interrupted, with what was finished kept.\n");
}

int help_unknown(const struct cmd_list *all, const char *name)
{
    enum { MAX = 64 };
    struct diag d = { 0 };
    const char *names[MAX];
    size_t n = 0;
    for (; n < all->n && n < MAX; n++) names[n] = all->at[n]->name;
    (void)diag_set(&d, ST_EINPUT, "there is no command '%s'", name);
    const char *near = diag_nearest(name, names, n);
    if (near != NULL) diag_hint(&d, "did you mean 'fairway %s'?", near);
    else diag_hint(&d, "`fairway help` lists the commands");
    return cmd_fail(&d);
}

/* ---- lists for shells ---- */

/*
 * Where a usage text speaks of the command's own options: in the lines of its
 * usage, in brackets, and at the beginning of a line, up to two blanks.  What
 * else looks like one is of another command, or an example.
 */
static bool is_own_option(const char *usage, const char *at)
{
    const char *line = at, *text;
    while (line > usage && line[-1] != '\n') line--;
    if (strncmp(line, "usage: ", 7) == 0 || strncmp(line, "       fairway ", 15) == 0 || (at > usage && at[-1] == '[')) return true;
    text = line + strspn(line, " ");
    if (text == line || *text != '-') return false;
    for (const char *s = text; s < at; s++) if (s[0] == ' ' && s[1] == ' ') return false;
    return true;
}

/*
 * The options of a usage text, each once, with "=" after those that a value
 * follows: a word in capitals, or choices in brackets or joined by bars.
 */
static void print_options(const char *usage)
{
    struct intern seen = { 0 };
    for (const char *s = usage; *s != '\0'; s++) {
        if (*s != '-' || !is_own_option(usage, s) || (s > usage && (isalnum((unsigned char)s[-1]) || s[-1] == '-'))) continue;
        size_t dashes = s[1] == '-' ? 2 : 1, len = strspn(s + dashes, "abcdefghijklmnopqrstuvwxyz0123456789-");
        if (len == 0 || (dashes == 1 && len != 1)) continue;
        char option[64];
        (void)snprintf(option, sizeof option, "%.*s", (int)(dashes + len), s);
        s += dashes + len - 1;
        uint32_t known = seen.n;
        if (intern_id(&seen, option) < known) continue;
        /* "-m, --metric METRIC": the long form tells for both. */
        const char *after = s + 1;
        while (strncmp(after, ", -", 3) == 0) after += 2 + strcspn(after + 2, " ,");
        bool has_value = after[0] == ' ' && (isupper((unsigned char)after[1]) || (islower((unsigned char)after[1]) && after[1 + strspn(after + 1, "abcdefghijklmnopqrstuvwxyz")] == '|'));
        (void)printf("%s%s\n", option, has_value ? "=" : "");
    }
    intern_fini(&seen);
}

static int list(const struct cmd_list *all, int argc, char **argv)
{
    const char *what = argc > 0 ? argv[0] : "";
    if (strcmp(what, "options") == 0) {
        if (argc < 2) { (void)fprintf(stderr, "fairway help: --list options expects a command\n"); return 2; }
        const struct cmd *c = help_find(all, argv[1]);
        if (strcmp(argv[1], "help") == 0) { (void)printf("--list=\n"); return 0; }
        if (c == NULL) return help_unknown(all, argv[1]);
        print_options(cmd_usage(c));
    } else if (strcmp(what, "commands") == 0) {
        for (size_t i = 0; i < all->n; i++) (void)printf("%s\n", all->at[i]->name);
        (void)printf("help\n");
    } else if (strcmp(what, "policies") == 0) {
        for (size_t i = 0; pol_table[i] != NULL; i++) (void)printf("%s\n", pol_table[i]->name);
    } else if (strcmp(what, "figures") == 0) {
        for (size_t i = 0; plot_figures[i] != NULL; i++) (void)printf("%s\n", plot_figures[i]->name);
    } else if (strcmp(what, "formats") == 0) {
        for (size_t i = 0; trace_formats[i] != NULL; i++) (void)printf("%s\n", trace_formats[i]->name);
    } else {
        (void)fprintf(stderr, "fairway help: --list knows commands, options COMMAND, policies, figures and formats\n");
        return 2;
    }
    return 0;
}

int help_run(const struct cmd_list *all, int argc, char **argv)
{
    if (argc < 2) { help_print(all, stdout); return 0; }
    if (strcmp(argv[1], "--list") == 0) return list(all, argc - 2, argv + 2);
    if (strcmp(argv[1], "help") == 0) {
        (void)printf("usage: fairway help [COMMAND]\n"
                     "       fairway help --list commands | options COMMAND | policies | figures | formats\n\n"
                     "--list prints words, one a line, for scripts and shells; an option that takes a value ends in =.\n");
        return 0;
    }
    const struct cmd *c = help_find(all, argv[1]);
    if (c == NULL) return help_unknown(all, argv[1]);
    (void)fputs(cmd_usage(c), stdout);
    return 0;
}
