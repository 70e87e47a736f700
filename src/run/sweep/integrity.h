/* Integrity of a database: the file by SQLite's checks, the tables by their SQL text, each run by a
 * checksum over all its rows. */
#ifndef CORUN_INTEGRITY_H
#define CORUN_INTEGRITY_H

#include "run/sweep/store.h"

extern const char store_tables[];      /* SQL that creates the tables */

/* Checks the file and the tables; `why` gets a description of the damage. */
enum store_condition store_examine(struct store *s, struct text *why);

/* store_sign stores the current checksum of a run; store_verify compares the current checksum with
 * the stored checksum. Both return false on an SQLite error. */
bool store_sign(struct store *s, s64 id, struct fail *fail);
bool store_verify(struct store *s, s64 id, bool *intact, struct fail *fail);
/* Computes the current checksum of table meta. */
bool meta_sum(struct store *s, struct text *out, struct fail *fail);

/* Integrity of all runs of a database with an intact file. */
struct audit {
    u32 run_n, damaged_n, damaged_room;
    u64 orphan_n;             /* number of orphaned rows, without a run */
    struct damaged {
        s64 id;
        struct text name;
    } *damaged;
};
bool audit_store(struct audit *a, struct store *s, struct fail *fail);
bool audit_has(const struct audit *a, s64 id); /* true if run `id` is damaged */
void audit_free(struct audit *a);
/* require_intact reports damaged runs and orphaned rows as errors, require_no_orphans only orphaned
 * rows. Both return false if any exist, or on an SQLite error. */
bool require_intact(struct store *s, struct fail *fail);
bool require_no_orphans(struct store *s, struct fail *fail);

/* Audits the runs that can still be read from a corrupt file. */
bool audit_corrupt(struct audit *a, const char *path, struct fail *fail);

/* Repairs a database by removing damaged runs. If the file or the description of the sweep is
 * damaged, intact runs move to a new file in its place, and the damaged file is kept beside the new
 * file. */
struct repair {
    const char *path;
    const struct store_sweep *sweep; /* the sweep of the database */
    void (*say)(void *to, const char *text); /* reports the steps of the repair */
    void *to;
    void (*taken)(void *of, s64 id); /* called for each damaged run removed */
    void *of;
    struct fail *fail;
};
bool repair_store(const struct repair *setup);

#endif
