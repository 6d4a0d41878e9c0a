/*
 * words.h -- what the readers of scheduler.h share: values as Slurm writes them, and
 * the text that is put together for the policy.  Layer: input.
 */
#ifndef INPUT_SLURM_WORDS_H
#define INPUT_SLURM_WORDS_H

#include "base/intern.h"
#include "base/mem.h"
#include "input/cluster/slurm_conf.h"
#include "input/slurm/scheduler.h"

/* How a value is written, and what the policy gets. */
enum slurm_value {
    SLURM_WORD,    /* as it is */
    SLURM_WHOLE,   /* a whole number; -1 or "UNLIMITED": none, left out */
    SLURM_NUMBER,  /* a decimal number */
    SLURM_MINUTES, /* a time of sbatch(1): seconds; INFINITE, UNLIMITED and -1: -1 */
    SLURM_TRES,    /* cpu=4,mem=2G,node=2,gres/gpu=1: milli-CPUs:bytes:nodes:GPUs, -1 where there is none */
    SLURM_WEIGHTS  /* the same of decimals, of a CPU, a MiB, a node and a GPU: 0 where there is none */
};
struct slurm_key { const char *name; enum slurm_value value; };

struct slurm_words {
    struct slurm_scheduler *out;
    struct mem_text text;
    const char *path, *file;    /* `file` without folders */
    struct intern told;         /* what is listed, each once */
    size_t n_hosts;             /* written so far */
};

void slurm_words_open(struct slurm_words *w, struct slurm_scheduler *out, const char *path);
/* The text and its digest; after an error nothing is left of either. */
void slurm_words_close(struct slurm_words *w, enum st st);

/* Lists "FILE:LINE: WHAT not modelled". */
void slurm_words_tell(struct slurm_words *w, uint32_t line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* "\tKEY=VALUE" in the policy's form; an error at line and column where it is not written so.  "" is left out. */
enum st slurm_words_put(struct slurm_words *w, const struct slurm_key *k, const char *value, uint32_t line,
                        uint32_t col, struct diag *d);
/* A line "KIND\tNODE" and `rest` for each node of the field's host list. */
enum st slurm_words_hosts(struct slurm_words *w, const struct slurm_conf *c, const struct slurm_line *l,
                          const struct slurm_field *f, const char *kind, const char *rest, struct diag *d);
/* The key of this name, whatever its case; NULL: it is none of them. */
const struct slurm_key *slurm_words_find(const struct slurm_key *k, size_t n, const char *name);

#endif
