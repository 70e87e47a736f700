/* Initial contents of an app file's buffers: `zero | const V | ramp [START STEP] | random [SEED LOW
 * HIGH]`
 * (`file PATH` is read by `run` and copied). Every value is a function of the element's index
 * alone. ramp     START + index * STEP: integers modulo their width, floats in double and then
 * rounded to the type random   w = first word of Philox 4x32-10 (key SEED, counter index).
 * Integers: LOW + floor((HIGH - LOW) * w / 2^32), exactly; floats: LOW + (HIGH - LOW) * (w / 2^32)
 * in double, rounded to the type and kept below HIGH */
#ifndef CORUN_FILL_H
#define CORUN_FILL_H

#include "host/number.h"

enum fill_kind { FILL_ZERO, FILL_CONST, FILL_RAMP, FILL_RANDOM, FILL_FILE };
struct fill {
    enum fill_kind kind;
    struct number first;  /* V, START, LOW */
    struct number second; /* STEP, HIGH */
    u64 seed;
    const char *path; /* FILL_FILE: rest of the text, not copied */
    const u8 *bytes;  /* FILL_FILE: set by who loaded it; exactly the buffer's size */
};

/* `text` as written behind `init:`. `seed` is used where none is given. false: `why` says what is
 * wrong and what is right. */
bool fill_parse(const char *text, enum type type, u64 seed, struct fill *out, struct text *why);
void fill_write(const struct fill *f, enum type type, u64 count, u8 *out);

#endif
