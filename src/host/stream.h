/* The streams of one app. A stream is an ordered queue of launches, actions of the host side,
 * delays, and waits for work of other streams. The first item of a stream is ready, at the GPU, or
 * waiting; the next item follows when the first has ended. Streams are independent except for waits
 * and, on request, CUDA's legacy default stream. Ready launches leave in the order in which they
 * became ready. An action is performed at its turn and takes no simulated time; a delay takes time
 * only. */
#ifndef CORUN_STREAM_H
#define CORUN_STREAM_H

#include "gpu/dispatch/kernel.h"

/* Model: a stream holds 1024 launches, then the host program waits: guess, from CUDA's queue. */
enum { STREAM_ROOM = 1024, STREAM_ID_MAX = 1023 };

/* Names a queued item, even after the item has ended. */
struct ticket {
    u32 stream;
    u64 number; /* sequence number within the app, from 1; 0: no item */
};
/* Why an action is called: its turn has come; the app's work is abandoned because a kernel has
 * failed; or the streams are being freed. In the last two cases the action only frees its
 * resources, unless somebody must be notified of the failure. */
enum fate { FATE_TURN, FATE_GIVEN_UP, FATE_END };
struct action {
    void (*act)(void *of, enum fate fate);
    void *of;
};
/* Returns the cycle at which a delay ends; called once, in cycle `now`, at the delay's turn. */
struct delay {
    u64 (*end)(void *of, u64 now);
    void *of;
};
enum queued_kind { QUEUED_LAUNCH, QUEUED_ACTION, QUEUED_WAIT, QUEUED_DELAY };

struct stream_item { /* an item from its push to its end; launch.owner points to the item */
    enum queued_kind kind;
    struct ticket ticket;
    bool out; /* a launch that is ready or at the GPU */
    bool early; /* a dependent launch behind this launch may begin */
    bool ended; /* a launch that has ended before the launch ahead */
    /* A launch: earliest cycle, from its call; a delay: cycle of its end, NEVER before its turn. */
    u64 until;
    u64 gap; /* cycles between the end of the stream's last launch and this launch */
    union {
        struct launch launch;
        struct action action;
        struct ticket after;
        struct delay delay;
    };
    struct stream_item *next; /* within the stream */
    struct stream_item *next_ready;
    _Alignas(16) u8 param[]; /* storage of launch.param */
};
struct stream {
    struct stream_item *first, *last;
    u32 n;
    bool non_blocking; /* non-blocking: not ordered with the legacy default stream */
    bool launched;     /* a launch has ended, in cycle `launch_end` */
    u64 launch_end;
};
struct streams {
    struct stream *of; /* indexed by stream id */
    u32 n;             /* number of ids in use */
    struct stream_item *ready_first, *ready_last;
    u32 pending; /* number of items in all streams */
    u64 number;  /* sequence number of the last item */
    /* Enables the legacy default stream: an item of stream 0 waits for all earlier items of the
     * blocking streams, and an item of a blocking stream waits for the earlier items of stream 0.
     * Source: CUDA programming guide, legacy default stream. */
    bool legacy;
    bool over; /* a kernel has failed: queued items are dropped, actions get FATE_GIVEN_UP */
    bool at_once; /* launches and delays take no time: the next launch runs functionally */
    u64 now;   /* current cycle, set by the owner before every call that may perform items */
    u64 wake;  /* next cycle at which an item may begin or end by time; NEVER: none */
};

/* Copies `l`; the parameters are zeroed. */
struct stream_item *stream_item_new(const struct launch *l, u32 param_bytes);
/* Queue an item and perform every action and wait that is now due. streams_push takes ownership of
 * `q`. The first three return the ticket of the new item. */
struct ticket streams_push(struct streams *s, struct stream_item *q);
struct ticket streams_act(struct streams *s, u32 stream_id, struct action action);
struct ticket streams_wait(struct streams *s, u32 stream_id, struct ticket after);
void streams_delay(struct streams *s, u32 stream_id, struct delay delay);
/* Performs all items due in cycle `s->now`; called at `s->wake`. */
void streams_go_on(struct streams *s);
void streams_set_non_blocking(struct streams *s, u32 stream_id, bool non_blocking);
struct stream_item *streams_take_ready(struct streams *s); /* NULL: no launch is ready */
/* Lets a dependent launch behind launch `q` begin before the end of `q`. Model: at most two
 * launches of a stream are at the GPU at a time (guess). */
void streams_early(struct streams *s, struct stream_item *q);
/* Ends launch `q`: frees the launch and starts the next items. A launch that has ended before the
 * launch ahead stays in the stream until the launch ahead has ended. */
void streams_end(struct streams *s, struct stream_item *q);
/* Returns the number of items in the stream, including a launch at the GPU. */
u32 streams_waiting(const struct streams *s, u32 stream_id);
bool streams_done(const struct streams *s, struct ticket t);
/* Returns the ticket of the last item of the stream, or a ticket that is done if the stream is
 * empty. */
struct ticket streams_last(const struct streams *s, u32 stream_id);
void streams_free(struct streams *s); /* frees all items; each action gets FATE_END */

#endif
