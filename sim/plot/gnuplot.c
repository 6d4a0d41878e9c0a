/*
 * gnuplot.c -- a script written, and run by gnuplot as a child process.
 *
 * A script goes to a temporary file, its picture to PATH.part, which takes the
 * name that was asked for when it is whole: whoever fails leaves nothing.
 */
#include "plot/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/version.h"
#include "base/embed.h"

extern char **environ;

static const char *const formats[] = { "svg", "pdf", "png", "gp" };

/* ---- writing the script ---- */

enum st gnuplot_begin(struct gnuplot *g, const char *path, const char *figure, struct diag *d)
{
    const char *dot = strrchr(path, '.');
    *g = (struct gnuplot){ .to = NULL };
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (dot != NULL && strcmp(dot + 1, formats[i]) == 0) g->format = formats[i];
    if (g->format == NULL)
        return diag_set(d, ST_EINPUT, "cannot tell the format of '%s'; expected a name ending in .svg, .pdf, .png or .gp", path);
    g->is_script = strcmp(g->format, "gp") == 0;
    g->path = mem_strdup(path);
    g->temp = mem_printf("%s.part", path);
    g->to = g->is_script ? fopen(g->temp, "w") : tmpfile();
    if (g->to == NULL) {
        (void)diag_at(d, ST_EWORLD, g->is_script ? g->temp : "", 0, 0, "cannot write: %s", strerror(errno));
        gnuplot_abort(g);
        return d->code;
    }
    if (g->is_script)
        (void)fprintf(g->to, "# Made by fairway %s.  gnuplot THIS draws %s.svg; gnuplot -e \"fmt='pdf'; out='x.pdf'; W=7\" THIS another.\n"
                      "if (!exists(\"fmt\")) fmt = 'svg'\nif (!exists(\"out\")) out = '%s.' . fmt\n", FAIRWAY_VERSION, figure, figure);
    else
        (void)fprintf(g->to, "fmt = '%s'\nout = ''\n", g->format);
    return ST_OK;
}

void gnuplot_text(struct gnuplot *g, const char *name, const char *text)
{
    (void)fprintf(g->to, "%s = '", name);
    for (; *text != '\0'; text++) {
        if (*text == '\'') (void)fputc('\'', g->to);
        (void)fputc((unsigned char)*text < 0x20 ? ' ' : *text, g->to);
    }
    (void)fputs("'\n", g->to);
}

void gnuplot_item(struct gnuplot *g, const char *array, size_t i, const char *text)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%s[%zu]", array, i + 1);
    gnuplot_text(g, name, text);
}

void gnuplot_number(struct gnuplot *g, const char *name, double x)
{
    (void)fprintf(g->to, "%s = %.12g%s\n", name, x, x == (double)(int64_t)x && x < 1e12 ? ".0" : "");
}

void gnuplot_cell(struct gnuplot *g, const char *text)
{
    for (; *text != '\0'; text++) (void)fputc((unsigned char)*text < 0x20 ? ' ' : *text == '"' ? '\'' : *text, g->to);
}

/* ---- running it ---- */

static void close_all(struct gnuplot *g)
{
    if (g->to != NULL) (void)fclose(g->to);
    mem_free(g->path);
    mem_free(g->temp);
    *g = (struct gnuplot){ .to = NULL };
}

void gnuplot_abort(struct gnuplot *g)
{
    if (g->to != NULL) (void)unlink(g->temp);
    close_all(g);
}

static enum st missing(struct diag *d, int err)
{
    if (err != ENOENT) return diag_set(d, ST_EWORLD, "cannot run gnuplot: %s", strerror(err));
    (void)diag_set(d, ST_EWORLD, "gnuplot, which draws the figures, is not installed");
    return diag_hint(d, "install it (on Debian: apt-get install gnuplot-nox), or keep the script with -o FILE.gp and "
                     "draw it elsewhere");
}

/* What gnuplot wrote to its standard error, as one error: its first lines. */
static enum st complaint(FILE *err, int status, struct diag *d)
{
    char text[512];
    rewind(err);
    size_t n = fread(text, 1, sizeof text - 1, err);
    text[n] = '\0';
    while (n > 0 && text[n - 1] == '\n') text[--n] = '\0';
    if (WIFSIGNALED(status)) return diag_set(d, ST_EWORLD, "gnuplot was ended by signal %d", WTERMSIG(status));
    return diag_set(d, ST_EWORLD, "gnuplot failed: %s", n > 0 ? text : "it does not say why");
}

/* Standard input: the script; output: the picture; error: err. */
static enum st run_child(struct gnuplot *g, int picture, FILE *err, struct diag *d)
{
    char *argv[] = { (char[]){ "gnuplot" }, (char[]){ "-d" }, (char[]){ "-" }, NULL };
    posix_spawn_file_actions_t fds;
    pid_t pid;
    int status;
    int bad = posix_spawn_file_actions_init(&fds);
    if (bad == 0) bad = posix_spawn_file_actions_adddup2(&fds, fileno(g->to), STDIN_FILENO);
    if (bad == 0) bad = posix_spawn_file_actions_adddup2(&fds, picture, STDOUT_FILENO);
    if (bad == 0) bad = posix_spawn_file_actions_adddup2(&fds, fileno(err), STDERR_FILENO);
    if (bad == 0) bad = posix_spawnp(&pid, argv[0], &fds, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&fds);
    if (bad != 0) return missing(d, bad);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return diag_set(d, ST_EWORLD, "lost gnuplot: %s", strerror(errno));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ST_OK : complaint(err, status, d);
}

static enum st draw(struct gnuplot *g, struct diag *d)
{
    int picture = open(g->temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (picture < 0) return diag_at(d, ST_EWORLD, g->temp, 0, 0, "cannot write: %s", strerror(errno));
    FILE *err = tmpfile();
    enum st st = err == NULL ? diag_set(d, ST_EWORLD, "cannot make a temporary file: %s", strerror(errno)) : ST_OK;
    if (st == ST_OK) st = run_child(g, picture, err, d);
    if (err != NULL) (void)fclose(err);
    off_t size = lseek(picture, 0, SEEK_END);
    if (close(picture) != 0 && st == ST_OK) st = diag_at(d, ST_EWORLD, g->temp, 0, 0, "cannot write: %s", strerror(errno));
    if (st == ST_OK && size <= 0) st = diag_set(d, ST_EWORLD, "gnuplot drew nothing");
    return st;
}

enum st gnuplot_end(struct gnuplot *g, const char *figure, struct diag *d)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s.gp", figure);
    (void)fprintf(g->to, "\n%s\n%s", embed_text("style.gp"), embed_text(name));
    enum st st = ST_OK;
    if (fflush(g->to) != 0 || ferror(g->to)) st = diag_at(d, ST_EWORLD, g->path, 0, 0, "cannot write: %s", strerror(errno));
    if (st == ST_OK && !g->is_script) {
        rewind(g->to);
        (void)lseek(fileno(g->to), 0, SEEK_SET);    /* the child shares the offset of the descriptor */
        st = draw(g, d);
    }
    if (st == ST_OK && rename(g->temp, g->path) != 0) st = diag_at(d, ST_EWORLD, g->path, 0, 0, "cannot write: %s", strerror(errno));
    if (st != ST_OK) (void)unlink(g->temp);
    close_all(g);
    return st;
}
