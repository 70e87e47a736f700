/* Initial contents of an app file's buffers. Each value is a function of the element's index alone:
 *   zero | const V | ramp [START STEP] | random [SEED LOW HIGH] | file PATH (read by `run`)
 * ramp:   START + index * STEP; integers modulo their width, floats in double, then rounded.
 * random: w = first word of Philox 4x32-10, key SEED, counter index. Integers exactly
 *         LOW + floor((HIGH - LOW) * w / 2^32); floats LOW + (HIGH - LOW) * (w / 2^32) in double,
 *         rounded to the type and kept below HIGH. Without LOW and HIGH floats lie in [0, 1) and
 *         integers in [0, largest of the type]; without SEED the run's seed is used. */
#ifndef CORUN_FILL_H
#define CORUN_FILL_H

#include "host/number.h"

enum fill_kind { FILL_ZERO, FILL_CONST, FILL_RAMP, FILL_RANDOM, FILL_FILE };
struct fill {
    enum fill_kind kind;
    struct number first;  /* V, START, LOW */
    struct number second; /* STEP, HIGH */
    u64 seed;
    const char *path;     /* FILL_FILE: rest of the text, not copied */
    const u8 *bytes;      /* FILL_FILE: set by the loader; exactly as many bytes as the buffer */
    const char *nearest;  /* after an unknown word: the probably intended word, or NULL */
};

/* Parses the text behind `init:`. `seed` is the default seed. Returns false with the error and the
 * valid form in `why`. */
bool fill_parse(const char *text, enum type type, u64 seed, struct fill *out, struct text *why);
void fill_write(const struct fill *f, enum type type, u64 count, u8 *out);

#endif
