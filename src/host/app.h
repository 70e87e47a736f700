/* A running app: a host program on its own stack, its device memory and its streams. `run` resumes
 * the host program (app_poll), hands ready launches to the GPU (app_next_launch) and reports their
 * ends (app_launch_done). An app itself takes no simulated time. Life cycle: new -> start -> [poll,
 * next_launch, launch_done]* -> completed -> restart ... free. */
#ifndef CORUN_APP_H
#define CORUN_APP_H

#include "host/coroutine.h"
#include "host/input.h"
#include "host/stream.h"

enum app_state {
    APP_READY,     /* the host program can continue: call app_poll */
    APP_WAITING,   /* the host program is blocked, or has returned while work is queued */
    APP_COMPLETED, /* the host program has returned and all streams are empty */
    APP_FAILED     /* final state; app_error says why */
};
enum app_error_kind {
    APP_ERROR_NONE,
    APP_ERROR_INPUT, /* error of the user: exit 2 (unknown kernel, oversized block, no memory) */
    APP_ERROR_FAULT, /* fault of the simulated machine: exit 1 (copy outside every allocation) */
    APP_ERROR_PROGRAM /* error of the program in its own process: exit 1 */
};
enum app_wait {
    WAIT_ALL,    /* until all streams are empty */
    WAIT_STREAM, /* until stream `wait_stream` is empty */
    WAIT_ROOM,   /* until stream `wait_stream` has room for a launch */
    WAIT_TICKET, /* until `wait_ticket` is done */
    WAIT_CYCLE,  /* until SM cycle `wake` */
    WAIT_SIGNAL, /* until app_signal is called */
    WAIT_NONE    /* not at all: lets the rest of the run proceed, then continues */
};

struct host { /* the handle passed to a host program */
    struct app *app;
};

struct app {
    struct host host;
    struct app_input *input;
    const char *name;
    u32 app_id;
    enum app_state state;
    u64 completions;
    u64 executions; /* started executions */
    u32 draw_id;    /* number of the app for random choices; set between app_new and app_start */
    u64 launches; /* launches handed to the GPU, over all executions */
    int checked;  /* see app_checked */
    struct text checked_why;
    enum app_error_kind error_kind;
    struct fail error;
    /* Source text of the action that the host program is performing, with `offset`, for messages;
     * NULL if there is no text. */
    const struct source *at;
    size_t offset;
    /* ---- private to the host side ---- */
    const struct app_machine *machine;
    struct printer *printer, silent;
    struct warnings *warnings; /* NULL: warnings are dropped; set between app_new and app_start */
    struct image image;
    struct streams streams;
    struct coroutine coroutine;
    bool returned;      /* true if the host program of this execution has returned */
    enum app_wait wait; /* reason for blocking while `returned` is false */
    u32 wait_stream;
    struct ticket wait_ticket;
    u64 wake;           /* target cycle of WAIT_CYCLE */
    bool signalled;     /* flag of WAIT_SIGNAL */
    int output_fd;      /* receives the output of the app's process; -1: output is dropped */
    bool output_all;    /* copy the output to standard error, too */
    enum app_folder folder; /* working folder of the app's process */
    bool in_order; /* dependent launches begin after the end of the preceding launch */
    bool varies;        /* true if another run may give other results; a warning says why */
    /* Session of the app's process in this execution, owned by the kind of input. */
    void *process;
    struct scratch *scratch; /* blocks of host_memory, newest first */
    u64 *dumps;              /* [dump of the input] device address in this execution */
    /* Addresses of the app file's regions, in scratch memory; owned by the kind of input. */
    const void *places;
    /* [variable of the module] True if the variable has been written in this execution, by the host
     * or by a kernel. */
    bool *set;
};

/* Creates an app. `name`, `machine` and `printer` must outlive the app. With `printer` NULL the
 * output of printf is dropped. */
struct app *app_new(struct app_input *in, const char *name, u32 app_id,
                    const struct app_machine *machine, struct printer *printer);
/* Frees the app in any state; the caller first drops the app's launches from the GPU. */
void app_free(struct app *a);

/* Clears the app's memory and puts the host program at its beginning; the new state is READY. */
void app_start(struct app *a);
/* Starts another execution, after APP_COMPLETED or in the middle of an execution; in the latter
 * case the GPU must have dropped the app's launches before. */
void app_restart(struct app *a);

/* Returns the next cycle at which the host program, or an item of a stream, waits for time only;
 * NEVER: none. */
u64 app_wake(const struct app *a);
/* Performs items of streams that are due by time, and runs the host program until the program
 * blocks, returns or fails, if the app can become READY. The caller polls apps in app order. */
void app_poll(struct app *a);
/* Returns the next launch to hand to the GPU now, the oldest first; NULL if no launch is ready.
 * Each stream has at most one launch at the GPU, and a dependent launch behind it. */
const struct launch *app_next_launch(struct app *a);
/* Tells the app whether its next launch runs functionally: launches and copies before that launch
 * take no time. Called before app_poll and app_launch_done. */
static inline void app_next_functional(struct app *a, bool functional)
{
    a->streams.at_once = functional;
}
/* Reports the end of a launch; `l` is the launch as the GPU returns it (only `owner` is read). May
 * make the next launch of the same stream ready, and the app READY or COMPLETED. */
void app_launch_done(struct app *a, const struct launch *l);

/* Reports that a dependent launch behind launch `l` may begin. */
void app_launch_early(struct app *a, const struct launch *l);

static inline enum app_state app_state(const struct app *a) { return a->state; }
static inline bool app_completed(const struct app *a) { return a->state == APP_COMPLETED; }
static inline const char *app_name(const struct app *a) { return a->name; }
static inline u32 app_id(const struct app *a) { return a->app_id; }
static inline u64 app_completions(const struct app *a) { return a->completions; }
static inline u64 app_launches(const struct app *a) { return a->launches; }
/* Number of launches, actions and waits of this execution that have not ended, at the GPU or
 * queued. */
static inline u32 app_pending(const struct app *a) { return a->streams.pending; }

/* Result of the output check at the first completion: 1 correct, 0 wrong, -1 not completed yet or
 * no reference. app_checked_why returns the difference, or "". */
static inline int app_checked(const struct app *a) { return a->completions ? a->checked : -1; }
static inline const char *app_checked_why(const struct app *a) { return text_get(&a->checked_why); }

static inline enum app_error_kind app_error_kind(const struct app *a) { return a->error_kind; }
/* Returns "" or the whole error message, each line with its newline. */
static inline const char *app_error(const struct app *a) { return text_get(&a->error.text); }

/* Returns the bytes of dump `index` of the input; valid while the app is COMPLETED. */
const void *app_dump(const struct app *a, u32 index, u64 *size_bytes);

/* ---- for host.c and the kinds of input, called from inside the host program ---- */

/* Adds an error message, for an error of the user with its position if known. The caller then calls
 * app_leave. */
void app_add_error(struct app *a, enum app_error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds an error message and leaves the host program. */
_Noreturn void app_fail(struct app *a, enum app_error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Leaves the host program; the message is in a->error already. */
_Noreturn void app_leave(struct app *a, enum app_error_kind kind);
/* Blocks the host program until the condition holds; returns at once if the condition holds
 * already. */
void app_block(struct app *a, enum app_wait wait, u32 stream_id);
void app_block_ticket(struct app *a, struct ticket t);
void app_block_until(struct app *a, u64 cycle);
void app_block_signal(struct app *a);
/* Wakes an app in WAIT_SIGNAL; called by an action of its streams or by the hook `lost` of its
 * input. */
void app_signal(struct app *a);
void app_yield(struct app *a); /* lets the run decide whether to continue */
void *app_scratch(struct app *a, size_t bytes); /* zeroed memory; NULL: out of memory */
/* Marks the variables in [address, address + size_bytes) as written by the host program. */
void app_set_variables(struct app *a, u64 address, u64 size_bytes);
/* Places the references of a module behind those placed before. Textures and surfaces are unbound,
 * samplers have their initial values. */
void app_place_references(struct app *a, const struct module *m);
/* Size of the workspace in which the blocks of a cooperative launch synchronize. The workspace is
 * zeroed at first; cooperative groups count arrivals in its second word. Successive launches may
 * share a workspace. */
enum { WORKSPACE_BYTES = 256 };
struct launch_options {
    s32 priority;  /* as in struct launch */
    u64 workspace; /* address of the workspace of a cooperative launch; 0: not cooperative */
    struct carveout_preference carveout;
    u32 cluster[3];      /* as in struct launch */
    bool large_clusters;
    bool is_node; /* a kernel node of a graph */
    bool dependent; /* as in struct launch */
};
/* Queues a launch that has passed all checks. Returns the parameter bytes of the launch; the caller
 * fills them before the host program blocks. */
u8 *app_launch(struct app *a, const struct host_kernel *k, const u32 grid[3], const u32 block[3],
               u32 shared_bytes, u32 stream_id, const struct launch_options *options);

#endif
