/* A machine under import: rows with value and origin, and notes about options that the machine
 * cannot express. The rules (sm.c, memory.c) read settings and put rows. */
#ifndef CORUN_DRAFT_H
#define CORUN_DRAFT_H

#include "base/warning.h"
#include "gpu/machine/machine.h"
#include "run/import/import.h"
#include "run/import/settings.h"

struct draft_row {
    const struct conf_row *conf;
    const char *value, *origin;
};
struct draft_note {
    const struct setting *setting;
    const char *why;
};

struct draft {
    const struct import_setup *setup;
    struct settings options, network; /* network.source NULL: the built-in crossbar */
    struct machine machine;
    struct conf_place *places;        /* [machine row] */
    struct draft_row *rows;
    u32 row_n, row_room;
    struct draft_note *notes;         /* modelled otherwise, each with a reason */
    u32 note_n, note_room;
    struct warnings warnings;         /* refusals under --force */
    struct arena arena;
    struct fail *fail;
    u32 given;                        /* order of places */
};

/* Where a value came from: a sentence for the machine file, and a position for messages. */
struct origin {
    const char *text;
    const struct settings *in;
    const struct setting *at; /* NULL: no position */
};

/* Returns the origin "-NAME VALUE; -NAME by default; ..." of settings, separated by blanks in
 * `names`, with `more` appended. */
struct origin origin_of(struct draft *d, struct settings *s, const char *names, const char *more);
/* Returns an origin that is a rule, not an option. */
struct origin origin_rule(const char *text);

/* Put a value; a later value of a key replaces an earlier one. */
void draft_put(struct draft *d, const char *key, struct origin origin, const char *value);
void draft_put_number(struct draft *d, const char *key, struct origin origin, u64 value);
/* Puts the value of an option as the file writes the value. */
void draft_take(struct draft *d, const char *key, const char *name, const char *initial);
/* Notes an option that the machine does not express; absent options are left out. */
void draft_note(struct draft *d, const char *name, const char *why);
/* Rejects what changes the structure of the machine and has no counterpart, at a part of a value;
 * `right` says what would be right. Under --force a warning. */
void draft_refuse(struct draft *d, const struct part *at, const char *right, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));
/* Returns the whole value as a part. */
struct part part_whole(struct settings *s, const char *name, const char *initial);

/* The rules, in the order of the sections in the file. */
void draft_sm(struct draft *d);
void draft_memory(struct draft *d);  /* L1, textures */
void draft_network(struct draft *d);
void draft_l2(struct draft *d);
void draft_dram(struct draft *d);    /* DRAM, addresses */

/* KIND:SETS:LINE:WAYS,REPLACE:WRITE:ALLOCATE:WRITE MISS:INDEX,MSHR:ENTRIES:MERGES,QUEUE,PORT */
struct cache_text {
    u64 sets, line, ways, entries, merges, queue, port, sector;
    struct part line_at, merges_at;
    struct part replace, write, allocate, write_miss, index; /* one letter each */
};
/* Parses a cache. Returns false with an error. */
bool cache_parse(struct draft *d, struct value v, struct cache_text *c);
const char *cache_index(const struct cache_text *c); /* the word of l1.index, l2.index, tex.index */

#endif
