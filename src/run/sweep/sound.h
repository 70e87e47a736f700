/* Whether a database is what corun wrote: its file by SQLite's own checks, its tables by their
 * text, each run by a checksum over all its rows. */
#ifndef CORUN_SOUND_H
#define CORUN_SOUND_H

#include "run/sweep/store.h"

extern const char store_tables[];      /* SQL that makes them */

/* The file and its tables; `why` says what is wrong. */
enum store_condition store_examine(struct store *s, struct text *why);

/* Notes the checksum of a run as it is now; compares it with what was noted. false: errors. */
bool store_sign(struct store *s, s64 id, struct fail *fail);
bool store_sound(struct store *s, s64 id, bool *sound, struct fail *fail);
/* The checksum of table meta as it is now. */
bool meta_sum(struct store *s, struct text *out, struct fail *fail);

/* All runs of a database that is whole. */
struct audit {
    u32 run_n, damaged_n, damaged_room;
    u64 stray_n;             /* rows that belong to no run */
    struct damaged {
        s64 id;
        struct text name;
    } *damaged;
};
bool audit_store(struct audit *a, struct store *s, struct fail *fail);
bool audit_has(const struct audit *a, s64 id); /* whether that run is damaged */
void audit_free(struct audit *a);
/* An error for each damaged run, and for rows that belong to none; false then. */
bool all_sound(struct store *s, struct fail *fail);
bool no_strays(struct store *s, struct fail *fail);

/* The runs that can still be read from a damaged file. */
bool audit_ruin(struct audit *a, const char *path, struct fail *fail);

/* Takes out what is damaged. Where the file itself is, or what it says of the sweep, the runs that
 * are sound go into a new one in its place, and the damaged one is kept beside it. */
struct repair {
    const char *path;
    const struct store_sweep *sweep; /* whose database it is */
    void (*say)(void *to, const char *text); /* what is done */
    void *to;
    void (*taken)(void *of, s64 id); /* a damaged run that was taken out */
    void *of;
    struct fail *fail;
};
bool repair_store(const struct repair *setup);

#endif
