/* fairway: finds the subcommand, and its exit status when standard output fails. */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <jansson.h>
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/line/help.h"
#include "base/version.h"

static int dispatch(int argc, char **argv)
{
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) { help_print(stdout); return 0; }
    if (strcmp(argv[1], "--version") == 0) { (void)printf("fairway %s\n", FAIRWAY_VERSION); return 0; }
    const struct cmd *c = help_find(argv[1]);
    if (c == NULL) return help_unknown(argv[1]);
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0) { option_print_usage(c, stdout); return 0; }
    return cmd_run_line(c, argc - 1, argv + 1);
}

static void *allocate(size_t n) { return mem_alloc(n, 1); }

int main(int argc, char **argv)
{
    mem_use_large_pages();
    (void)setlocale(LC_CTYPE, "");      /* never LC_NUMERIC: numbers are written one way */
    json_set_alloc_funcs(allocate, mem_free);      /* jansson leaves out what it has no memory for, without a word */
    if (argc < 2) { help_print(stderr); return 2; }
    int status = dispatch(argc, argv);
    if (status == 3 || (fflush(stdout) == 0 && !ferror(stdout))) return status;     /* 3: what failed is printed */
    (void)fprintf(stderr, "fairway: error: cannot write to standard output\n");
    return status > 1 ? status : 3;     /* 1 would claim that what it found was printed */
}
