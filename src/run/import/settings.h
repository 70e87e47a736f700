/* Settings of GPGPU-Sim: option files (`-name value`, comments behind #) and the crossbar's own
 * file (`name = value;`, comments behind //). A value in quotes may span lines; blanks inside
 * quotes do not count. Every setting keeps its position for messages. */
#ifndef CORUN_SETTINGS_H
#define CORUN_SETTINGS_H

#include "base/arena.h"
#include "base/fail.h"

enum { SETTING_NUMBER_MAX = 1000000 /* products of three fit in 64 bits */ };

struct setting {
    const char *name;  /* without the dash */
    const char *value; /* without quotes, and without blanks inside quotes */
    size_t name_at, value_at;
    bool asked;        /* a rule has read the setting */
};

struct settings {
    const struct source *source;
    bool network;       /* the crossbar's own file */
    struct setting *at; /* in order of first occurrence; the last value of a name counts */
    u32 n, room;
    struct arena *arena;
    struct fail *fail;
};

/* Reads an option file. Returns false with an error. */
bool settings_read(struct settings *s, const struct source *source, struct arena *arena,
                   struct fail *fail);
/* Reads a crossbar's file. Returns false with an error. */
bool settings_read_network(struct settings *s, const struct source *source, struct arena *arena,
                           struct fail *fail);

/* A value as a rule reads the value: from the file, or the default. */
struct value {
    const struct settings *in;
    const struct setting *setting; /* NULL: not in the file */
    const char *text;              /* "" after an error */
};

/* Returns true if a file's word is the option, perhaps under an older name: without "gpgpu_", or as
 * in alias.def. */
bool settings_same(const char *name, const char *word);
/* Returns the setting and marks the setting as asked; NULL: not in the file. */
const struct setting *settings_find(struct settings *s, const char *name);
/* Returns a value. `initial` NULL: a missing setting is an error. */
struct value settings_get(struct settings *s, const char *name, const char *initial);
/* Returns a whole number; other text is an error, and 0. */
u64 settings_number(struct settings *s, const char *name, const char *initial);
/* Returns the offset in the file of byte `index` of the value. */
size_t value_at(struct value v, size_t index);

/* A part of a value between separators. */
struct part {
    struct value of;
    const char *text; /* NUL-terminated */
    size_t index;     /* of the first byte in the value */
};
enum { PARTS_MAX = 32 };
/* Splits text at `separator` into at most PARTS_MAX parts. Returns their number. */
u32 value_split(struct value v, char separator, struct part *parts, struct arena *arena);
u32 part_split(const struct part *p, char separator, struct part *parts, struct arena *arena);
/* Returns a whole number; other text is an error, and 0. */
u64 part_number(const struct part *p);
/* Adds an error at the part, or at the end of the file for a part of a default value. */
void part_fail(const struct part *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
