/* One execution of a CUDA program: its process, and what its calls have made. The host program of
 * the app reads a call, does it (and may wait for the simulated GPU in it), answers, and reads the
 * next. To add a call: a row of cuda/wire_call.def, a function here of that name, and what calls it
 * in cuda/. */
#ifndef CORUN_SESSION_H
#define CORUN_SESSION_H

#include "cuda/include/driver_types.h"
#include "cuda/wire.h"
#include "gpu/machine/machine.h"
#include "host/app.h"
#include "run/cuda/process.h"
#include "run/cuda/program.h"
#include "run/io/ring.h"

struct session_kernel {
    struct cuda_module *module;
    struct host_kernel *kernel;
};
struct session_stream {
    bool used, apart;
    int priority;
    u64 workspace; /* of its cooperative launches; 0: there was none yet */
};
struct session_event {
    bool used, recorded, no_timing;
    u64 record_n;         /* how often it was recorded */
    struct ticket ticket; /* of the last time */
    u64 cycle;            /* of that moment, by the app's clocks */
};

enum { LOOK_MS = 20 }; /* between two looks at a program that says nothing */
struct silence { /* since it was last told something */
    bool looked;
    u64 used;     /* its processor time then, ns */
    u64 waits;    /* process_asleep, and since when it has been that */
    double since;
    u32 funcs;    /* host functions in its streams */
};

struct session {
    struct app *app;
    struct work_folder folder; /* that it works in */
    struct process process;
    bool ended;           /* the process has: nothing can be asked of it any more */
    bool failed;          /* and what is wrong with it has been said */
    bool greeted;         /* its library is of this corun */
    bool wrong;           /* it has sent what that does not send */
    bool called, in_call; /* it has made a call; is in one */
    u32 thread;           /* that made its first call */
    struct silence silence;
    bool threads;         /* others have made calls, too */
    u64 used, owed;       /* its processor time when it last was answered, and that of host
                           * functions since, ns */
    struct wire_request call; /* that is being done */
    u8 *payload;          /* of it, with a zero behind */
    size_t payload_room;
    struct wire_reply reply;
    struct text out;      /* payload of the reply */
    struct printer printer;
    struct ring printed;    /* by kernels, not yet passed on */
    struct text asserted;   /* by failed assertions, and what else goes to standard error */
    u64 output_begins;      /* 1 and the bytes in the file of its output at the start; 0: dropped */
    u64 next_const;       /* where the next module's constant variables go */
    u64 reference_n;      /* texture and surface references of all modules */
    struct cuda_module **modules;
    u32 module_n, module_room;
    struct session_kernel *kernels;
    u32 kernel_n, kernel_room;
    struct session_stream streams[STREAM_ID_MAX + 1];
    struct session_event *events;
    u32 event_n, event_room;
};

/* The host program of such an app, and its end. */
struct session *session_new(struct app *a); /* without a process */
void session_serve(struct session *s);      /* its calls, until the process has ended */
void session_run(struct host *h);
void session_end(struct host *h);
bool session_lost(struct host *h);

/* ---- silence.c: simulated time stands still while it runs host code ---- */
/* It is told something now. */
void silence_starts(struct session *s);
/* A look at it after LOOK_MS: it may go on so; or not, since the user wants an end, or it has
 * failed, which is said and ends it; or all its threads wait for a host function in its streams, so
 * that simulated time must pass. */
enum silence_is { SILENCE_GOES_ON, SILENCE_UNWANTED, SILENCE_FAILED, SILENCE_WAITS };
enum silence_is silence_look(struct session *s);

/* Asks the program to do something. Nothing happens once it has ended. */
void session_ask(struct session *s, const struct wire_reply *r, const void *payload);

/* The calls. Numbers of the answer go to reply.at, more to `out`. */
#define CALL(name, sentence) cudaError_t session_##name(struct session *s);
#include "cuda/wire_call.def"
#undef CALL

struct wire_device;
void device_describe(const struct machine *m, struct wire_device *out);
enum { SHARED_BYTES = 49152 }; /* of a block, where a kernel's limit is not raised */
u32 device_capability(const struct machine *m); /* 75: 7.5 */
void session_nothing(void *of, enum fate fate); /* an action that does nothing */
bool session_has_stream(const struct session *s, u64 stream);
/* Whether so many bytes of device memory are free; else a warning says how there are more. */
bool session_has_memory(struct session *s, u64 bytes);
/* Waits until what is queued here by now is done. */
void session_wait(struct session *s, u32 stream, struct action last);

#endif
