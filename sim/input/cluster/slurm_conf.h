/*
 * slurm_conf.h -- the syntax of Slurm's configuration files.  Layer: input.
 *
 * A file is lines of Key=Value fields ('#' begins a comment, a trailing '\'
 * joins the next line, a value may stand in double quotes, keys ignore case).
 * One parser serves slurm.conf, gres.conf and topology.conf; it knows syntax,
 * and slurm.c knows what keys mean.
 * Source: slurm.conf(5), gres.conf(5), topology.conf(5).
 */
#ifndef INPUT_CLUSTER_SLURM_CONF_H
#define INPUT_CLUSTER_SLURM_CONF_H

#include "base/diag.h"

struct slurm_field { char *key, *value; uint32_t col, value_col; };
struct slurm_line  { uint32_t line; struct slurm_field *at; size_t n, cap; };
struct slurm_conf  { char *path; struct slurm_line *at; size_t n, cap; };

/* ST_EINPUT for bad syntax or a missing file.  On error *c is empty. */
enum st slurm_conf_load(struct slurm_conf *c, const char *path, struct diag *d);
void    slurm_conf_fini(struct slurm_conf *c);

/* A field by key (ignoring case); NULL when absent. */
const struct slurm_field *slurm_line_get(const struct slurm_line *l, const char *key);
/* An error at the field's value. */
enum st slurm_error(const struct slurm_conf *c, const struct slurm_line *l, const struct slurm_field *f,
                    struct diag *d, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
