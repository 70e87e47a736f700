/* What an app is before it runs: an input of some kind, a shipped workload with its parameters
 * (workload.c) or an app file (script.c), and its PTX module. `run` gives texts it has read and
 * gets errors back; `app` runs the same input any number of times, alone or together with others.
 * Running changes nothing here, save that a kernel is lowered when it is first asked for: the apps
 * of one input belong to one thread. */
#ifndef CORUN_INPUT_H
#define CORUN_INPUT_H

#include "base/arena.h"
#include "base/fail.h"
#include "gpu/dispatch/kernel.h"
#include "host/host.h"

struct app_input;
struct program_keys { /* of an app file; all but the first may be NULL */
    const struct node *program, *cwd, *env, *inputs, *ptx;
};

/* How the host side gets the files that an app file names; `run` supplies it. */
struct reader {
    /* The file at `path`, as written in `at` and relative to it. NULL: an error at (at, offset) was
     * added to `fail`. The source stays valid as long as the input that asked for it. */
    const struct source *(*load)(struct reader *r, const char *path, const struct source *at,
                                 size_t offset, struct fail *fail);
    /* Makes a CUDA program of `in`. false: errors in `fail`. NULL: there are none here. */
    bool (*program)(struct app_input *in, const struct program_keys *keys,
                    const struct source *at, struct fail *fail);
};

/* A workload. `spec` is the APP argument as the user wrote it ("bfs:nodes=65536,size=test"); its
 * options begin behind the first ':'. `text` is its PTX, or where it writes that itself, its preset
 * or NULL. `text` and `spec` must outlive the input. NULL with errors in `fail`. */
struct app_input *input_workload(const struct workload *w, const struct source *text,
                                 const struct source *spec, u64 seed, struct fail *fail);
/* An app file; its text must outlive the input. NULL with errors in `fail`. */
struct app_input *input_file(const struct source *file, struct reader *reader, u64 seed,
                             struct fail *fail);
void input_free(struct app_input *in);

/* Where an app's process of its own works: in the user's folder, or a new one like it. */
enum app_place { PLACE_NEW, PLACE_FIRST /* the first execution in the user's */, PLACE_OWN };

const char *input_name(const struct app_input *in);
u64 input_start(const struct app_input *in); /* SM cycle; not fed by input_feed */

/* Whether every launch that is known beforehand has blocks that fit; errors at the launch's place.
 * `refuses` answers like gpu_refuses. A workload's launches are only known when it makes them:
 * app_poll asks then. */
struct app_machine {
    /* Why a block can never run on this machine, or NULL. `why` is room for the sentence. */
    const char *(*refuses)(const struct app_machine *m, const struct launch *l, struct text *why);
    struct pool *pool; /* physical memory that the apps share; NULL: each has its own */
    u64 granule_bytes; /* of memory that is mapped at once; 0: allocations alone */
    /* For programs in processes of their own; NULL: there are none. */
    u64 (*now)(const struct app_machine *m);          /* SM cycle */
    u64 (*clock)(const struct app_machine *m, u32 app_id); /* by the app's clocks */
    bool (*interrupted)(const struct app_machine *m); /* the user wants an end */
    const struct machine *gpu;
    u64 host_seconds; /* how long one may make no call while work is queued; 0: for ever */
};
bool input_fits(const struct app_input *in, const struct app_machine *machine, struct fail *fail);

/* Feeds everything the app's behaviour depends on: PTX, parameters, seed, app file, contents of its
 * files. For a cache key. */
void input_feed(const struct app_input *in, void (*add)(void *to, const void *bytes, size_t n),
                void *to);

/* A buffer to be written to a file when the app has completed. */
struct input_dump {
    const char *name;        /* of the buffer */
    const char *path;        /* as written in `at`, at `offset` */
    const struct source *at;
    size_t offset;
    u64 size_bytes;
};
u32 input_dump_n(const struct app_input *in);
void input_dump(const struct app_input *in, u32 index, struct input_dump *out);

/* A kernel of the module, lowered and bound. NULL with errors in `fail`: at (at, offset), or plain
 * when `at` is NULL. */
struct host_kernel *input_kernel(struct app_input *in, const char *name, const struct source *at,
                                 size_t offset, struct fail *fail);

/* ---- the host side's own ---- */

struct host_kernel {
    const struct program *program; /* NULL: not asked for yet */
    u32 registers;                 /* per thread: the app file's word, else program->registers */
};
struct app_input {
    const struct input_kind *kind;
    struct arena arena;
    const char *name;
    u64 seed;
    u64 start; /* SM cycle at which its host program begins */
    bool changes; /* what it depends on is not all fed: no result of it is kept */
    const struct source *ptx;        /* the first of `ptx_n`; NULL: they come while it runs */
    const struct source *const *more_ptx; /* all of them; NULL: it is the only one */
    u32 ptx_n;
    const struct source *spec;       /* the argument, for messages; or NULL */
    struct module *module;           /* of `ptx` */
    struct host_kernel *kernels;     /* [kernel of the module] */
    /* of a workload: */
    const struct workload *workload;
    const struct workload_param *params; /* with the values of its preset */
    double *values;                      /* [row of params] */
    /* of an app file: */
    struct script *script;
    /* of a program with a process of its own: */
    struct cuda *cuda;
};
struct input_feed {
    void (*add)(void *to, const void *bytes, size_t n);
    void *to;
};
enum { INPUT_START_BITS = 40 }; /* of `start`: a run of so many cycles takes weeks */

/* Goes in with its length, so that two inputs never run together to the same bytes. */
void input_feed_part(struct input_feed *f, const void *bytes, size_t n);

/* What each kind of input does in its own way. Hooks left out: nothing is known, there is none. */
struct input_kind {
    void (*run)(struct host *h);     /* the host program */
    void (*feed)(const struct app_input *in, struct input_feed *f); /* beside name, seed and PTX */
    bool (*fits)(const struct app_input *in, const struct app_machine *machine, struct fail *fail);
    /* At the end of the first execution, if it has something to say of its output (host_checked);
     * may not block. */
    void (*verify)(struct host *h);
    /* Its host program puts the address of dump i at app.dumps[i]. */
    u32 (*dump_n)(const struct app_input *in);
    void (*dump)(const struct app_input *in, u32 index, struct input_dump *out);
    void (*end)(struct host *h); /* the execution ends, wherever its host program stands */
    /* While it waits, now and then: whether it has gone, which it then says by app_add_error. */
    bool (*lost)(struct host *h);
};
struct app_input *input_new(const struct input_kind *kind, u64 seed);
/* A kernel of a module, lowered and bound. false: errors in `fail`. */
bool input_lower(struct host_kernel *k, const struct module *m, const char *file, u32 kernel,
                 struct arena *arena, struct fail *fail);
/* Parses `in->ptx`; the kernels are lowered later. false: errors in `fail`. */
bool input_module(struct app_input *in, struct fail *fail);

#endif
