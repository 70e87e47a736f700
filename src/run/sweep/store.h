/* A database of results (SQLite): a row per run, and the run's numbers in long form. `sweep` writes
 * the database, one transaction per run; `report` reads it. The contents depend only on the points,
 * not on the order of execution; table `host` holds figures of the host computer.
 * docs/how-to/sweep.md lists the tables. */
#ifndef CORUN_STORE_H
#define CORUN_STORE_H

#include <sqlite3.h>
#include "base/fail.h"

#define STORE_SCHEMA "corun-sweep/3"

enum store_condition {
    STORE_WHOLE,
    STORE_EMPTY,             /* no tables */
    STORE_DAMAGED,           /* not as written by corun sweep, or unreadable for SQLite */
    STORE_FOREIGN,           /* different schema, another program's database, or not a database */
    STORE_UNREADABLE         /* cannot be read at present */
};

struct store {
    sqlite3 *db;
    const char *path;
    int lock_fd;             /* -1: not locked */
    bool fresh;              /* the database is empty; the first transaction creates the tables */
    enum store_condition condition; /* condition when the database was opened */
};

struct store_run {           /* description of a point before its run */
    const char *key;         /* 32 hexadecimal digits: hash of everything the results depend on */
    const char *program;     /* hash of the corun binary */
    const char *sweep;       /* key of the sweep: store_sweep.key */
    u32 position;            /* position in the sweep file */
    const char *apps;        /* as in "bfs + mm" */
    const char *policy, *gpu, *options, *until, *alone;
    u64 cycle_limit, instruction_goal, seed; /* cycle_limit, instruction_goal: 0 if none */
};

/* Opens a file as an SQLite database, also a file called :memory: or file:..., names with another
 * meaning for SQLite. Returns an SQLite code. */
int store_connect(sqlite3 **db, const char *path, int flags);

/* Opens a database for writing, creating the file if necessary, and locks it. Returns false on an
 * error. Call store_close in either case. */
bool store_create(struct store *s, const char *path, struct fail *fail);
bool store_open(struct store *s, const char *path, struct fail *fail); /* opens for reading */
/* Opens for reading; accepts an empty database (`fresh`), as left by a sweep killed early. */
bool store_open_any(struct store *s, const char *path, struct fail *fail);
void store_close(struct store *s);

/* The sweep of a database. Databases with equal contents here can be merged. */
struct store_sweep {
    struct text title;
    struct text key;         /* 32 hexadecimal digits: hash of the title and of all points in
                              * order */
    struct text program;     /* hash of the corun binary that makes the runs */
    struct text commit;      /* git commit of the binary; empty: unknown */
    struct text file;        /* the sweep file, as given */
    u64 points;              /* number of points of the whole sweep */
};
bool store_note(struct store *s, const struct store_sweep *sweep, struct fail *fail);
bool store_noted(struct store *s, struct store_sweep *sweep, struct fail *fail);
void store_sweep_free(struct store_sweep *sweep);

/* Returns the id of a run, derived from the first half of its key, so that the order of execution
 * leaves no trace. */
static inline s64 store_id(u64 first) { return (s64)(first >> 1); }

/* State of a point in a database. made: run by the same corun binary and intact; damaged: modified
 * since; failed; abnormal: status other than completed. If the database is open for writing,
 * store_look also updates the point's position and description to those of the current sweep
 * file. */
struct store_state {
    bool made, damaged, failed, abnormal;
};
/* Begin and end a transaction, for a series of lookups or a group of changes. */
bool store_begin(struct store *s, struct fail *fail);
bool store_end(struct store *s, struct fail *fail);
bool store_look(struct store *s, const struct store_run *r, struct store_state *state,
                struct fail *fail);
/* Stores a run, replacing any earlier run of the point. `result` is the run's JSON
 * (corun-result/1); NULL: the run failed because of `reason`, with the given `status`. Sets
 * `status` to the status of the run. */
bool store_put(struct store *s, const struct store_run *r, const struct text *result,
               const char *reason, double seconds, const char **status, struct fail *fail);

/* Returns true if a run with the status is repeated on request (--retry). */
bool store_is_failed(const char *status);
bool store_forget(struct store *s, s64 id, struct fail *fail);
/* Copies a run with all its rows, replacing the run of the same point in `to`. */
bool store_copy(struct store *to, struct store *from, s64 id, struct fail *fail);

/* Inserts all rows produced by `get`, with the statement "insert into T". Sets *step to the last
 * result code of `get`. Returns false if a row cannot be written. */
bool store_copy_rows(struct store *to, sqlite3_stmt *get, const char *insert, int *step,
                     struct fail *fail);
/* Returns the number of runs with a known duration, and their mean duration. */
bool store_speed(struct store *s, u32 *runs, double *seconds, struct fail *fail);
/* Counts the runs of a database while another process may be writing. Returns false if the count
 * cannot be read at present. */
bool store_peek(const char *path, u32 *runs);

/* store_prepare prepares a statement; store_finish runs a statement to completion and finalizes
 * it. */
bool store_prepare(struct store *s, sqlite3_stmt **q, const char *sql, struct fail *fail);
bool store_finish(struct store *s, sqlite3_stmt *q, struct fail *fail);
/* Reports an SQLite error. Always returns false. */
bool store_error(const struct store *s, struct fail *fail);

#endif
