/* Options of corun cc: the rows of nvcc.def, and the options given on a command line, in order. */
#ifndef CORUN_NVCC_H
#define CORUN_NVCC_H

#include "base/fail.h"

enum nvcc_pass { PASS_DEVICE = 1, PASS_HOST = 2, PASS_LINK = 4 };
/* Effects below CC_HELD are sets of passes. */
enum nvcc_effect {
    CC_DEVICE = PASS_DEVICE,
    CC_HOST = PASS_HOST,
    CC_SOURCES = PASS_DEVICE | PASS_HOST,
    CC_LINK = PASS_LINK,
    CC_HOST_LINK = PASS_HOST | PASS_LINK,
    CC_HELD = 8,
    CC_IGNORED, CC_REFUSED, CC_UNKNOWN, CC_OUTPUT, CC_COMPILE, CC_PTX, CC_PREPROCESS, CC_KEEP,
    CC_KEEP_FOLDER, CC_LANGUAGE, CC_ARCH, CC_GENCODE, CC_STANDARD, CC_FAST, CC_FMAD, CC_FTZ,
    CC_DIVISION, CC_ROOT, CC_INCLUDE, CC_FOLDER, CC_LIBRARY, CC_RULE_ONLY, CC_RULE_ONLY_USER,
    CC_RULE, CC_RULE_USER, CC_RULE_FILE, CC_RULE_TARGET, CC_VERBOSE, CC_DRY_RUN,
    CC_VERSION,
    CC_FORWARD, CC_RELOCATABLE, CC_COMPILE_RELOCATABLE,
    CC_DEVICE_LINK
};
enum nvcc_form { FORM_NONE, FORM_VALUE, FORM_FILE, FORM_LIST, FORM_WORD, FORM_PREFIX };

struct nvcc_row {
    enum nvcc_effect effect;
    enum nvcc_form form;
    const char *flag, *also; /* the usual spelling, and more spellings separated by blanks */
    const char *argument;    /* placeholder; FORM_WORD: the words, separated by '|'; NULL: none */
    const char *with;        /* options for clang; CC_REFUSED: advice */
    const char *sentence;
};

enum { NVCC_MAX = 1024 };
struct nvcc { /* the options of a command line */
    struct nvcc_given {
        const struct nvcc_row *row;
        const char *value;          /* "" without a value */
    } at[NVCC_MAX];
    u32 n;
};

/* Parses the option at arguments[0]; returns the number of arguments used. An unknown option is
 * noted for nvcc_unknown. */
u32 nvcc_take(struct nvcc *o, char *const *arguments, u32 n, struct fail *fail);
/* Returns the next unknown option from number *at on, and moves *at behind the option; NULL: no
 * more, or unknown options are passed to the host compiler. */
const char *nvcc_unknown(const struct nvcc *o, u32 *at);
void nvcc_offer(struct nearest *nearest); /* offers every spelling */
/* Returns the part of a row's sentence behind "ignored: " or "not supported: ". */
const char *nvcc_reason(const struct nvcc_row *row);

/* Returns the value of the last option with this effect; NULL: not given. */
const char *nvcc_last(const struct nvcc *o, enum nvcc_effect effect);
bool nvcc_has(const struct nvcc *o, enum nvcc_effect effect);
/* True if the last option with this effect has the value "true"; `otherwise` if not given. */
bool nvcc_true(const struct nvcc *o, enum nvcc_effect effect, bool otherwise);

#endif
