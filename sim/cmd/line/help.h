/*
 * help.h -- `fairway help`: how commands are used, and what shells complete.  Layer: cmd.
 *
 * What an option or argument is completed by (cmd_option.words, cmd.arg):
 *   "@policies"    a list of `fairway help --list`
 *   "*.db *.part"  files, by patterns
 *   "/"            folders
 *   "x y xy"       these words
 * NULL: nothing is known of it.
 */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include <stdio.h>
#include "cmd/cmd.h"

/* The command of that name, or NULL. */
const struct cmd *help_find(const char *name);
void help_print(FILE *to);
/* An error: there is no such command; returns the exit status. */
int  help_unknown(const char *name);

#endif
