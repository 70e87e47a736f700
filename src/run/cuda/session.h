/* A session: one execution of a CUDA program, with the program's process and all objects created by
 * the program's calls. The host program of the app serves the process in a loop: receive a call,
 * execute the call (perhaps waiting for the simulated GPU), send the reply, receive the next call.
 * To add a call: add a row to cuda/wire_call.def, a function session_NAME here, and the sender in
 * cuda/. */
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
    bool used, non_blocking; /* non_blocking:, not ordered with the legacy default stream */
    int priority;
    u64 workspace; /* device address of the memory for grid barriers of cooperative launches; 0
                    * before the first cooperative launch in the stream */
};
struct session_event {
    bool used, recorded, no_timing;
    u64 record_n;         /* number of records so far */
    struct ticket ticket; /* of the last record */
    u64 cycle;            /* SM cycle of the last record, on the app's own clock */
};

enum { LOOK_MS = 20 }; /* interval between two watchdog checks of a program without calls */
struct program_watchdog { /* watchdog state since the last message to the program */
    bool looked;  /* the watchdog has checked the program at least once */
    u64 used;     /* CPU time of the process at the first check, ns */
    u64 waits;    /* process_rest.waits at the last check */
    double since; /* start of the time in which no thread has run, s */
    u32 funcs;    /* number of host functions queued in the program's streams */
};

struct session {
    struct app *app;
    struct work_folder folder; /* working folder of the process */
    struct process process;
    bool ended;           /* the process has ended: no more messages */
    bool failed;          /* the process has been stopped, its error has been reported */
    bool handshake_done;     /* handshake done: the program's library is of this version of corun */
    bool wrong;           /* protocol violated: the process has sent an invalid message */
    bool called, in_call; /* the program has made a call; a call is being executed */
    u32 thread;           /* id of the thread that made the first call */
    struct program_watchdog watchdog;
    bool threads;         /* other threads have made calls, too */
    u64 used;             /* CPU time of the process at the last reply, ns */
    struct wire_request call; /* the call being executed */
    u8 *payload;          /* of the call, followed by a zero byte */
    size_t payload_room;
    struct wire_reply reply;
    struct text out;      /* payload of the reply */
    struct printer printer;
    struct ring printed;    /* output of kernels not yet sent to the program */
    struct text asserted;   /* the same for standard error: failed assertions and diagnostics */
    u64 output_begins;      /* 1 + size of the output file at the start; 0: output is dropped */
    u64 next_const;       /* address of the next module's constant variables */
    u64 reference_n;      /* number of texture and surface references of all modules */
    struct cuda_module **modules;
    u32 module_n, module_room;
    struct session_kernel *kernels;
    u32 kernel_n, kernel_room;
    struct session_stream streams[STREAM_ID_MAX + 1];
    struct session_event *events;
    u32 event_n, event_room;
    struct free_of *frees; /* memory whose release waits in a stream */
};

/* ---- The hooks of struct input_kind for CUDA programs, and two parts of session_run ---- */
struct session *session_new(struct app *a); /* creates a session without a process */
void session_serve(struct session *s);      /* executes calls until the process has ended */
void session_run(struct host *h);
void session_end(struct host *h);
bool session_lost(struct host *h);

/* ---- program_watchdog.c: the watchdog. Simulated time stands still while a program runs host
 * code. ---- */
/* Restarts the watchdog. Call after every message to the program. */
void program_watchdog_starts(struct session *s);
/* Checks a program that has sent nothing for LOOK_MS. Returns
 *   SILENCE_GOES_ON   the program may continue,
 *   SILENCE_UNWANTED  the user has interrupted the run,
 *   SILENCE_FAILED    the program has exceeded host_seconds: error reported, process killed,
 *   SILENCE_WAITS     all threads sleep while a host function is queued in a stream of the program:
 *                     simulated time must advance. */
enum program_watchdog_is { SILENCE_GOES_ON, SILENCE_UNWANTED, SILENCE_FAILED, SILENCE_WAITS };
enum program_watchdog_is program_watchdog_look(struct session *s);

/* Sends a request to the program and waits until the program has executed the request. Does nothing
 * after the process has ended. */
void session_ask(struct session *s, const struct wire_reply *r, const void *payload);

/* The calls, in the order of wire_call.def. Each function returns the error code of the reply, puts
 * numbers of the reply into reply.at, and appends the reply's payload to `out`. */
#define CALL(name, sentence) cudaError_t session_##name(struct session *s);
#include "cuda/wire_call.def"
#undef CALL

struct wire_device;
void device_describe(const struct machine *m, struct wire_device *out);
enum { SHARED_BYTES = 49152 }; /* default limit of a block's shared memory, bytes */
u32 device_capability(const struct machine *m); /* compute capability times 10: 75 for 7.5 */
void session_nothing(void *of, enum fate fate); /* an action without effect */
bool session_has_stream(const struct session *s, u64 stream);
/* True if `bytes` of device memory are free. Otherwise adds a warning with the option for more. */
bool session_has_memory(struct session *s, u64 bytes);
/* Queues action `last` in the stream and waits until all work of the stream up to `last` is
 * done. */
void session_wait(struct session *s, u32 stream, struct action last);

#endif
