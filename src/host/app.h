/* A running app: a host program on its own stack, its device memory and its streams. `run` lets the
 * host program go on (app_poll), carries launches that are ready to the GPU (app_next_launch) and
 * their ends back (app_launch_done). Takes no simulated time. One life: new -> start -> [poll,
 * next_launch, launch_done]* -> completed -> restart ... free. */
#ifndef CORUN_APP_H
#define CORUN_APP_H

#include "host/coroutine.h"
#include "host/input.h"
#include "host/stream.h"

enum app_state {
    APP_READY,     /* the host program can go on: app_poll */
    APP_WAITING,   /* it waits for launches at the GPU, perhaps has returned before they ended */
    APP_COMPLETED, /* returned, all streams empty */
    APP_FAILED     /* app_error says why; nothing more will come */
};
enum app_error_kind {
    APP_ERROR_NONE,
    APP_ERROR_INPUT, /* the user's: exit 2 (unknown kernel, block that cannot fit, no memory) */
    APP_ERROR_FAULT, /* the simulated machine's: exit 1 (a copy outside every allocation) */
    APP_ERROR_PROGRAM /* of the program itself, in its own process: exit 1 */
};
enum app_wait {
    WAIT_ALL,    /* until all streams are empty */
    WAIT_STREAM, /* until one is */
    WAIT_ROOM,   /* until one is not full */
    WAIT_TICKET, /* until that is done */
    WAIT_CYCLE,  /* until then */
    WAIT_SIGNAL, /* until app_signal */
    WAIT_NONE    /* lets others look, and goes on */
};

struct host { /* the handle a host program holds */
    struct app *app;
};

struct app {
    struct host host;
    struct app_input *input;
    const char *name;
    u32 app_id;
    enum app_state state;
    u64 completions;
    u64 launches; /* handed to the GPU so far, over all restarts */
    int checked;  /* see app_checked */
    struct text checked_why;
    enum app_error_kind error_kind;
    struct fail error;
    const struct source *at; /* where the user asked for what the host program does; or NULL */
    size_t offset;
    /* ---- the host side's own ---- */
    const struct app_machine *machine;
    struct printer *printer, silent;
    struct warnings *warnings; /* NULL: nobody listens; set between app_new and app_start */
    struct image image;
    struct streams streams;
    struct coroutine coroutine;
    bool returned;      /* the host program of this execution has */
    enum app_wait wait; /* what it blocks on while it has not */
    u32 wait_stream;
    struct ticket wait_ticket;
    u64 wake;           /* of WAIT_CYCLE */
    bool signalled;     /* of WAIT_SIGNAL */
    int output_fd;      /* for what a process of its own writes; -1: dropped */
    bool output_all;    /* also to standard error */
    enum app_place place; /* where that works */
    bool varies;        /* another run may be another: a warning says why */
    void *process;      /* the input's own, of this execution */
    struct scratch *scratch; /* host_memory, newest first */
    u64 *dumps;              /* [dump of the input] its address in this execution */
    const void *places;      /* the input's own, in scratch memory */
    bool *set;               /* [variable of the module] in this execution, by anybody */
};

/* `name`, `machine` and `printer` must outlive the app; printer NULL: printf is dropped. */
struct app *app_new(struct app_input *in, const char *name, u32 app_id,
                    const struct app_machine *machine, struct printer *printer);
void app_free(struct app *a); /* in any state; drop its launches from the GPU first */

/* Fresh memory, host program at its beginning; state READY. */
void app_start(struct app *a);
/* The same again: after APP_COMPLETED, or in the middle once the GPU has dropped its launches. */
void app_restart(struct app *a);

/* The cycle at which it can go on, if it waits for one; else NEVER. */
u64 app_wake(const struct app *a);
/* Runs the host program until it blocks, returns or fails. Does nothing unless READY. Apps are
 * polled in app order. */
void app_poll(struct app *a);
/* The next launch to hand to the GPU now, oldest first; NULL: none. At most one of each stream is
 * out at a time. */
const struct launch *app_next_launch(struct app *a);
/* A launch has ended; `l` is what the GPU gives back (only its owner is used). May make the next of
 * its stream ready, and the app READY or COMPLETED. */
void app_launch_done(struct app *a, const struct launch *l);

static inline enum app_state app_state(const struct app *a) { return a->state; }
static inline bool app_completed(const struct app *a) { return a->state == APP_COMPLETED; }
static inline const char *app_name(const struct app *a) { return a->name; }
static inline u32 app_id(const struct app *a) { return a->app_id; }
static inline u64 app_completions(const struct app *a) { return a->completions; }
static inline u64 app_launches(const struct app *a) { return a->launches; }
/* launches of this execution that have not ended, at the GPU or queued */
static inline u32 app_pending(const struct app *a) { return a->streams.pending; }

/* Of the first completion: 1 right, 0 wrong, -1 no completion yet or no reference. `why`: "" or
 * what was wrong. */
static inline int app_checked(const struct app *a) { return a->completions ? a->checked : -1; }
static inline const char *app_checked_why(const struct app *a) { return text_get(&a->checked_why); }

static inline enum app_error_kind app_error_kind(const struct app *a) { return a->error_kind; }
/* "" or the whole message, lines ending in newline */
static inline const char *app_error(const struct app *a) { return text_get(&a->error.text); }

/* The bytes of the input's dump; valid while the app is COMPLETED. */
const void *app_dump(const struct app *a, u32 index, u64 *size_bytes);

/* ---- for host.c and kinds of input, called from inside the host program ---- */

/* An error, the user's with its place if there is one; app_leave comes next. */
void app_add_error(struct app *a, enum app_error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Both. */
_Noreturn void app_fail(struct app *a, enum app_error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with the message in a->error already. */
_Noreturn void app_leave(struct app *a, enum app_error_kind kind);
/* Returns when it holds; at once when it does already. */
void app_block(struct app *a, enum app_wait wait, u32 stream_id);
void app_block_ticket(struct app *a, struct ticket t);
void app_block_until(struct app *a, u64 cycle);
void app_block_signal(struct app *a);
void app_signal(struct app *a); /* from an action of its streams, or by whoever looks after it */
void app_yield(struct app *a); /* others look whether the run goes on */
void *app_scratch(struct app *a, size_t bytes); /* zeroed; NULL: no memory */
/* The host program gives a variable that may lie there a value. */
void app_set_variables(struct app *a, u64 address, u64 size_bytes);
/* A module's references, after those of others: nothing is bound to textures and surfaces, samplers
 * have their initial values. */
void app_place_references(struct app *a, const struct module *m);
/* Where the blocks of a cooperative launch meet: zeroed at first; what cooperative groups count
 * arrivals in is its second word. Launches one after another may share it. */
enum { WORKSPACE_BYTES = 256 };
/* Queues a launch that was found right; `workspace`: its address, 0 if it is not cooperative.
 * `priority`: as of struct launch. Returns its parameter bytes, to be filled before the host
 * program blocks. */
u8 *app_launch(struct app *a, const struct host_kernel *k, const u32 grid[3], const u32 block[3],
               u32 shared_bytes, u32 stream_id, s32 priority, u64 workspace);

#endif
