/*
 * embed.h -- files that the program carries inside itself.  Layer: base.
 * Written by embed.sh at build time from what embed.mk lists.
 */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

struct embed_file { const char *name, *text; };

extern const struct embed_file embed_files[];   /* ended by a NULL name */

/* The file's text by its name without folder; it must be one of those embedded. */
const char *embed_text(const char *name);

#endif
