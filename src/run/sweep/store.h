/* A database of results (SQLite): one row per run, its numbers in long form. `sweep` writes it, one
 * transaction per run; `report` reads it. What is in it depends on the points only, not on their
 * order in time; table host holds what the computer did. docs/sweep.md lists the tables. */
#ifndef CORUN_STORE_H
#define CORUN_STORE_H

#include <sqlite3.h>
#include "base/fail.h"

#define STORE_SCHEMA "corun-sweep/3"

enum store_condition {
    STORE_WHOLE,
    STORE_EMPTY,             /* no tables at all */
    STORE_DAMAGED,           /* made by corun sweep, not as it wrote it; or no database */
    STORE_FOREIGN,           /* of another schema, or of something else */
    STORE_UNREADABLE         /* for now */
};

struct store {
    sqlite3 *db;
    const char *path;
    int lock_fd;             /* -1: not locked */
    bool fresh;              /* nothing is in it: the first transaction makes its tables */
    enum store_condition condition; /* as it was when it was opened */
};

struct store_run {           /* one point as it is known before it is run */
    const char *key;         /* 32 hexadecimal digits: of everything the numbers depend on */
    const char *program;     /* of the corun that made it */
    const char *sweep;       /* whose point it is: struct store_sweep's key */
    u32 position;            /* in the sweep file's order */
    const char *apps;        /* "bfs + mm" */
    const char *policy, *gpu, *options, *until, *alone;
    u64 cycle_limit, instruction_goal, seed; /* 0: none, for the first two */
};

/* To be written; made when it is not there, and locked. false: errors. Close it in either case. */
bool store_create(struct store *s, const char *path, struct fail *fail);
bool store_open(struct store *s, const char *path, struct fail *fail); /* to be read */
/* The same, but it may be empty, `fresh`: a sweep that was killed early leaves it so. */
bool store_open_any(struct store *s, const char *path, struct fail *fail);
void store_close(struct store *s);

/* Of which sweep the runs are. Databases that say the same here can be merged. */
struct store_sweep {
    struct text title;
    struct text key;         /* 32 hexadecimal digits: of the title and of all points in order */
    struct text program;     /* of the corun that makes them */
    u64 points;              /* of the whole sweep */
};
bool store_note(struct store *s, const struct store_sweep *sweep, struct fail *fail);
bool store_noted(struct store *s, struct store_sweep *sweep, struct fail *fail);
void store_sweep_free(struct store_sweep *sweep);

/* A run's number follows from its key, from the first half of it: the order of making leaves no
 * trace. */
static inline s64 store_id(u64 first) { return (s64)(first >> 1); }

/* What is known of a point: made by this program and as it was written, or damaged since; that it
 * failed; that it ended otherwise than completed. A database that is open to be written takes over
 * where the sweep file now has it, and how it writes it. */
struct store_state {
    bool made, damaged, failed, abnormal;
};
/* One transaction: looks at many points, or what must be there as a whole. */
bool store_begin(struct store *s, struct fail *fail);
bool store_end(struct store *s, struct fail *fail);
bool store_look(struct store *s, const struct store_run *r, struct store_state *state,
                struct fail *fail);
/* Puts the run in place of what was known of the point. `result` is its JSON (corun-result/1);
 * NULL: it failed because of `reason`, with the `status` given. `status` is set to the run's. */
bool store_put(struct store *s, const struct store_run *r, const struct text *result,
               const char *reason, double seconds, const char **status, struct fail *fail);

/* Whether a run of this status is one to be made again, if the user wants it. */
bool store_is_failed(const char *status);
bool store_forget(struct store *s, s64 id, struct fail *fail);
/* Copies a run with all its rows; what `to` had of it goes. */
bool store_copy(struct store *to, struct store *from, s64 id, struct fail *fail);

/* Puts the rows that `get` gives into a table, "insert into T"; where they end `step` says. false:
 * they cannot be written. */
bool store_pour(struct store *to, sqlite3_stmt *get, const char *insert, int *step,
                struct fail *fail);
/* Of how many runs it knows how long they took, and how long one did on average. */
bool store_speed(struct store *s, u32 *runs, double *seconds, struct fail *fail);
/* How many runs a database holds that another process writes to; false: not now. */
bool store_peek(const char *path, u32 *runs);

/* A question to the database; and one that is run to its end and forgotten. */
bool store_prepare(struct store *s, sqlite3_stmt **q, const char *sql, struct fail *fail);
bool store_finish(struct store *s, sqlite3_stmt *q, struct fail *fail);
/* An error of the database in words. Always false. */
bool store_error(const struct store *s, struct fail *fail);

#endif
