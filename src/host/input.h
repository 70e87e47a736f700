/* An app before its execution: an input of some kind - a shipped workload with its parameters
 * (workload.c), an app file (script.c) or a CUDA program (`run`) - and its PTX module. `run` passes
 * texts in and gets errors back; `app` executes one input any number of times, alone or with other
 * apps. An execution changes nothing here, except that a kernel is lowered on first use; all apps
 * of one input must therefore belong to one thread. */
#ifndef CORUN_INPUT_H
#define CORUN_INPUT_H

#include "base/arena.h"
#include "base/fail.h"
#include "gpu/dispatch/kernel.h"
#include "gpu/machine/machine.h"
#include "host/arrivals.h"
#include "host/host.h"

struct app_input;
struct module;
/* Settings of a run that apply to all its inputs. */
struct input_rules {
    u64 seed;
    bool contract; /* kernels are lowered with fused products and sums: exec.contract */
    u32 expand; /* exec.expand: capability for ptx_expand, 0: none */
    u32 estimate; /* exec.registers: for ptx_estimate, 0: live */
    u32 capability; /* of the device, times 10 */
};
struct input_rules input_rules_of(const struct machine *machine, u64 seed);
/* Lets the kernels of a module be lowered by the rules. */
void input_rules_apply(const struct input_rules *rules, struct module *m);
struct program_keys { /* keys of an app file; all except `program` may be NULL */
    const struct node *program, *cwd, *env, *inputs, *ptx;
};

/* Access to the files that an app file names; supplied by `run`. */
struct file_loader {
    /* Loads the file at `path`, written in `at` and relative to the folder of `at`. Returns NULL
     * after adding an error at (at, offset) to `fail`. The source stays valid as long as the input
     * that asked for the file. */
    const struct source *(*load)(struct file_loader *r, const char *path, const struct source *at,
                                 size_t offset, struct fail *fail);
    /* Makes `in` a CUDA program. Returns false with errors in `fail`. NULL: CUDA programs are not
     * available. */
    bool (*program)(struct app_input *in, const struct program_keys *keys,
                    const struct source *at, struct fail *fail);
};

/* Makes an input of a workload. `spec` is the APP argument as the user wrote it
 * ("bfs:nodes=65536,size=test"); the options begin behind the first ':'. `text` is the workload's
 * PTX or, for a workload that generates PTX, its preset or NULL. `text` and `spec` must outlive the
 * input. `loader` loads files that the options name. Returns NULL with errors in `fail`. */
struct app_input *input_workload(const struct workload *w, const struct source *text,
                                 const struct source *spec, struct file_loader *loader,
                                 const struct input_rules *rules, struct fail *fail);
/* Makes an input of an app file; the text must outlive the input. Returns NULL with errors in
 * `fail`. */
struct app_input *input_file(const struct source *file, struct file_loader *loader,
                             const struct input_rules *rules, struct fail *fail);
void input_free(struct app_input *in);

/* Working folder of an app's process: a new folder with the same contents as the user's folder, or
 * the user's folder itself (FOLDER_OWN). */
enum app_folder {
    FOLDER_NEW,
    FOLDER_FIRST, /* the user's folder in the first execution */
    FOLDER_OWN
};

const char *input_name(const struct app_input *in);
u64 input_start(const struct app_input *in); /* SM cycle; not part of input_feed */
s32 input_priority(const struct app_input *in); /* lower numbers go first; not fed either */
/* Returns the name of the program's ranges that are requests; NULL: requests are executions. */
const char *input_range(const struct app_input *in);
const struct arrivals *input_arrivals(const struct app_input *in); /* NULL: no requests */
/* Returns true if arrivals or arguments of the app are random. */
bool input_draws(const struct app_input *in);

/* The machine, as far as inputs and apps need it. input_fits returns true if a block of every
 * launch known before the run fits the machine; errors are reported at the launch's position in the
 * app file. The launches of a workload are known only when its host program makes them: host_launch
 * checks those with `refuses`, too. */
enum host_copy_kind { COPY_TO_DEVICE, COPY_TO_HOST, COPY_WITHIN, COPY_FILL };
struct host_copy { /* a copy of device memory, or a fill */
    u64 bytes;
    enum host_copy_kind kind;
    bool pageable; /* memory of the host */
};
static inline bool copy_is_within(enum host_copy_kind k) { return k >= COPY_WITHIN; }
struct app_machine {
    /* Returns why a block can never run on this machine, as gpu_refuses does, or NULL. `why`
     * provides storage for the sentence. */
    const char *(*refuses)(const struct app_machine *m, const struct launch *l, struct text *why);
    struct pool *pool; /* physical memory shared by the apps; NULL: each app has its own */
    u64 granule_bytes; /* granularity of mapped memory; 0: exact allocations */
    /* For apps with their own processes; otherwise NULL. */
    u64 (*now)(const struct app_machine *m);          /* returns the SM cycle */
    u64 (*clock)(const struct app_machine *m, u32 app_id); /* GPU clock as the app reads it */
    bool (*interrupted)(const struct app_machine *m); /* true if the user wants to end the run */
    /* Called when a call of the app's process has been answered; `call` as in wire_call.def. */
    void (*called)(const struct app_machine *m, u32 app_id, const char *call, u64 start, u64 end);
    /* Begins a copy or fill that becomes due now. Returns the cycle of its end. */
    u64 (*copy)(const struct app_machine *m, u32 app_id, const struct host_copy *of);
    /* A range of a CUDA program that is a request. range_begin returns true if a request has begun;
     * otherwise *next is the cycle of the next arrival, NEVER: not known, after a signal. */
    bool (*range_begin)(const struct app_machine *m, u32 app_id, u64 *next);
    void (*range_end)(const struct app_machine *m, u32 app_id);
    const struct machine *gpu;
    /* Longest time without a call while work is queued, in seconds of the process; 0: unlimited. */
    u64 host_seconds;
};
bool input_fits(const struct app_input *in, const struct app_machine *machine, struct fail *fail);

/* Feeds everything on which the app's behaviour depends to `add`, for a cache key: PTX, parameters,
 * seed, app file and the contents of the files that the app file names. */
void input_feed(const struct app_input *in, void (*add)(void *to, const void *bytes, size_t n),
                void *to);

/* A buffer that is written to a file when the app has completed. */
struct input_dump {
    const char *name;        /* name of the buffer */
    const char *path;        /* as written in `at`, at `offset` */
    const struct source *at;
    size_t offset;
    u64 size_bytes;
};
u32 input_dump_n(const struct app_input *in);
/* Returns an environment variable of the app's process; NULL: not set, or no process. */
const char *input_variable(const struct app_input *in, const char *name);
#define INPUT_PERCENT "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"
void input_dump(const struct app_input *in, u32 index, struct input_dump *out);

/* Returns a kernel of the module, lowered and bound. Returns NULL with errors in `fail`, at (at,
 * offset), or without a position if `at` is NULL. */
struct host_kernel *input_kernel(struct app_input *in, const char *name, const struct source *at,
                                 size_t offset, struct fail *fail);

/* ---- private to the host side ---- */

struct host_kernel {
    const struct program *program; /* NULL until input_kernel is called for the kernel */
    u32 registers;                 /* per thread: as given by the user, else program->registers */
    u32 code_registers;            /* per thread, of the program's machine code; 0: unknown */
    struct carveout_preference carveout; /* of host_launch */
};
struct app_input {
    const struct input_kind *kind;
    struct arena arena;
    const char *name;
    struct input_rules rules;
    u64 start; /* SM cycle at which the host program begins */
    s32 priority;  /* for policies */
    u32 registers; /* per thread of all kernels, as given by the user; 0: not given */
    struct arrivals arrivals;
    const char *range; /* of a CUDA program: see input_range */
    bool draws;    /* an argument is random in each execution */
    bool changes; /* true if input_feed does not cover all inputs: results are not cached */
    /* The first of `ptx_n` texts; NULL: modules are loaded at run time. */
    const struct source *ptx;
    const struct source *const *more_ptx; /* all `ptx_n` texts; NULL: `ptx` is the only text */
    u32 ptx_n;
    const struct source *spec;       /* the APP argument, for messages; or NULL */
    struct module *module;           /* parsed from the texts */
    struct host_kernel *kernels;     /* [kernel of the module] */
    /* of a workload: */
    const struct workload *workload;
    const struct workload_param *params; /* with the values of the preset */
    double *values;                      /* [row of params] */
    /* of an app file: */
    struct script *script;
    /* of a program with its own process: */
    struct cuda *cuda;
};
struct input_feed {
    void (*add)(void *to, const void *bytes, size_t n);
    void *to;
};
enum { INPUT_START_BITS = 40 }; /* bound of `start`: a longer run would take weeks */
enum { INPUT_PRIORITY_MOST = 1000 }; /* bound of an app's `priority` and of its opposite */
/* Reads the value of `priority`, at `offset` of `at`. Returns false after adding an error. */
bool input_priority_read(struct app_input *in, const char *value, const struct source *at,
                         size_t offset, struct fail *fail);
enum { REGISTERS_MAX = 255 };   /* of a thread */

/* Feeds `n` bytes preceded by their length; two different inputs therefore never give the same byte
 * sequence. */
void input_feed_part(struct input_feed *f, const void *bytes, size_t n);

/* Operations of a kind of input. A missing hook means: nothing to feed, check, verify, dump or
 * end. */
struct input_kind {
    void (*run)(struct host *h);     /* the host program */
    /* In addition to name, seed and PTX. */
    void (*feed)(const struct app_input *in, struct input_feed *f);
    bool (*fits)(const struct app_input *in, const struct app_machine *machine, struct fail *fail);
    /* Checks the output at the end of the first execution and reports the result by host_checked.
     * Must not block. */
    void (*verify)(struct host *h);
    /* Number of dumps. The host program stores the address of dump i in app.dumps[i]. */
    u32 (*dump_n)(const struct app_input *in);
    void (*dump)(const struct app_input *in, u32 index, struct input_dump *out);
    void (*end)(struct host *h); /* ends the execution at any point of the host program */
    /* Called now and then while the app waits. Returns true if the app's process has ended
     * unexpectedly; the error has then been added by app_add_error. */
    bool (*lost)(struct host *h);
    /* Returns an environment variable of the app's process; NULL: not set. Absent: the app has no
     * process. */
    const char *(*variable)(const struct app_input *in, const char *name);
};
struct app_input *input_new(const struct input_kind *kind, const struct input_rules *rules);
/* Lowers and binds a kernel of a module. Returns false with errors in `fail`. */
bool input_lower(struct host_kernel *k, const struct module *m, const char *file, u32 kernel,
                 struct arena *arena, struct fail *fail);
/* Parses the PTX texts of `in`; kernels are lowered later. Returns false with errors in `fail`. */
bool input_module(struct app_input *in, struct fail *fail);

#endif
