/* A running app: a host program on its own stack, its device memory and its streams. `run` lets the host program go
 * on (app_poll), carries launches that are ready to the GPU (app_next_launch) and their ends back (app_launch_done).
 * Takes no simulated time. One life: new -> start -> [poll, next_launch, launch_done]* -> completed -> restart ... free. */
#ifndef CORUN_APP_H
#define CORUN_APP_H

#include "host/input.h"

struct app;

enum app_state {
    APP_READY,     /* the host program can go on: app_poll */
    APP_WAITING,   /* it waits for launches at the GPU, or has returned and its streams are not empty */
    APP_COMPLETED, /* returned, all streams empty */
    APP_FAILED     /* app_error says why; nothing more will come */
};
enum app_error_kind {
    APP_ERROR_NONE,
    APP_ERROR_INPUT, /* the user's: exit 2 (unknown kernel, block that cannot fit, sizes beyond device memory) */
    APP_ERROR_FAULT  /* the simulated machine's: exit 1 (a copy outside every allocation) */
};

/* `name` and `machine` and `printer` must outlive the app; printer may be NULL (printf is dropped). */
struct app *app_new(struct app_input *in, const char *name, u32 app_id, const struct app_machine *machine,
                    struct printer *printer);
void app_free(struct app *a);  /* in any state; drop its launches from the GPU first */

void app_start(struct app *a);   /* fresh memory, host program at its beginning; state READY */
void app_restart(struct app *a); /* the same again: after APP_COMPLETED, or in the middle once the GPU dropped its launches */

/* Runs the host program until it blocks, returns or fails. Does nothing unless READY. Apps are polled in app order. */
void app_poll(struct app *a);
/* The next launch to hand to the GPU now, oldest first; NULL: none. At most one of each stream is out at a time. */
const struct launch *app_next_launch(struct app *a);
/* A launch has ended; `l` is what the GPU gives back (only its owner is used). May make the next of its stream ready,
 * and the app READY or COMPLETED. */
void app_launch_done(struct app *a, const struct launch *l);

enum app_state app_state(const struct app *a);
static inline bool app_completed(const struct app *a) { return app_state(a) == APP_COMPLETED; }
const char *app_name(const struct app *a);
u32 app_id(const struct app *a);
u64 app_completions(const struct app *a);
u64 app_launches(const struct app *a);  /* handed to the GPU so far, over all restarts */
u32 app_pending(const struct app *a);   /* launches of this execution that have not ended, at the GPU or queued */

/* After the first completion: 1 right, 0 wrong, -1 no completion yet or no reference. */
int app_checked(const struct app *a);
const char *app_checked_why(const struct app *a); /* "" or what was wrong */

enum app_error_kind app_error_kind(const struct app *a);
const char *app_error(const struct app *a);       /* "" or the whole message, lines ending in newline */

/* Buffers to be written to files, of an app file. Bytes are valid while the app is COMPLETED. */
struct app_dump {
    const char *path;       /* as written, relative to the app file */
    const struct source *at; /* and where, for messages */
    size_t offset;
    const void *bytes;
    u64 size_bytes;
};
u32 app_dump_n(const struct app *a);
void app_dump(const struct app *a, u32 index, struct app_dump *out);

#endif
