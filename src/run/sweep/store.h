/* A database of results (SQLite): one row per run, its numbers in long form. `sweep` writes it, one
 * transaction per run; `report` reads it. What is in it depends on the points only, not on their
 * order in time; table host holds what the computer did. docs/sweep.md lists the tables. */
#ifndef CORUN_STORE_H
#define CORUN_STORE_H

#include <sqlite3.h>
#include "base/fail.h"

#define STORE_SCHEMA "corun-sweep/1"

struct store {
    sqlite3 *db;
    const char *path;
    int lock_fd;             /* -1: not locked */
};

struct store_run {           /* one point as it is known before it is run */
    const char *key;         /* 32 hexadecimal digits: of everything the numbers depend on */
    const char *program;     /* of the corun that made it */
    u32 position;            /* in the sweep file's order */
    const char *apps;        /* "bfs + mm" */
    const char *policy, *gpu, *options, *until, *alone;
    u64 cycle_limit, instruction_goal, seed; /* 0: none, for the first two */
};

/* To be written; made when it is not there, and locked. false: errors. Close it in either case. */
bool store_create(struct store *s, const char *path, struct fail *fail);
bool store_open(struct store *s, const char *path, struct fail *fail); /* to be read */
void store_close(struct store *s);

/* Notes what the sweep is called and which corun makes it. */
bool store_title(struct store *s, const char *title, struct fail *fail);

/* What is known of a point: made by this program; that it failed; that it ended otherwise than
 * completed. Where the sweep file now has it, and how it writes it, is taken over. */
struct store_state {
    bool made, failed, abnormal;
};
/* Looks at many points are one transaction. */
bool store_begin(struct store *s, struct fail *fail);
bool store_end(struct store *s, struct fail *fail);
bool store_look(struct store *s, const struct store_run *r, struct store_state *state,
                struct fail *fail);
/* Puts the run in place of what was known of the point. `result` is its JSON (corun-result/1);
 * NULL: it failed because of `reason`. `status` is set to the run's. */
bool store_put(struct store *s, const struct store_run *r, const struct text *result,
               const char *reason, double seconds, const char **status, struct fail *fail);

/* An error of the database in words. Always false. */
bool store_error(const struct store *s, struct fail *fail);

#endif
