/* The streams of one app: launches, actions of the host side and waits for what other streams do. A
 * stream is in order: its first is out (ready or at the GPU) or waits, the next follows when that
 * one ends. Streams are independent but for waits and, where it is asked for, CUDA's legacy default
 * stream. Ready launches leave in the order they became ready; an action is done, and takes no
 * simulated time, as soon as it is its turn. */
#ifndef CORUN_STREAM_H
#define CORUN_STREAM_H

#include "gpu/dispatch/kernel.h"

/* Model: a stream holds 1024 launches, then the host program waits: guess, from CUDA's queue. */
enum { STREAM_ROOM = 1024, STREAM_ID_MAX = 1023 };

/* Something queued, also when it is gone. */
struct ticket {
    u32 stream;
    u64 number; /* of the app's, in the order they were queued; 0: nothing */
};
/* The turn of an action has come; it is given up, as a kernel has failed; or its streams end. In
 * the latter two it only frees what it has, unless someone is to hear of the failure. */
enum fate { FATE_TURN, FATE_GIVEN_UP, FATE_END };
struct action {
    void (*act)(void *of, enum fate fate);
    void *of;
};
enum queued_kind { QUEUED_LAUNCH, QUEUED_ACTION, QUEUED_WAIT };

struct queued { /* from its push to its end; launch.owner points here */
    enum queued_kind kind;
    struct ticket ticket;
    bool out; /* a launch that is ready or at the GPU */
    union {
        struct launch launch;
        struct action action;
        struct ticket after;
    };
    struct queued *next; /* in its stream */
    struct queued *next_ready;
    _Alignas(16) u8 param[]; /* launch.param */
};
struct stream {
    struct queued *first, *last;
    u32 n;
    bool apart; /* of the legacy default stream: non-blocking */
};
struct streams {
    struct stream *of; /* [stream id] */
    u32 n;             /* ids in use so far */
    struct queued *ready_first, *ready_last;
    u32 pending; /* in all streams */
    u64 number;  /* of the last that was queued */
    /* Stream 0 waits for all that was queued before in those that are not apart, and these for what
     * was queued before in stream 0. Source: CUDA programming guide, legacy default stream. */
    bool legacy;
    bool over; /* what is queued is given up, launches too */
};

struct queued *queued_new(const struct launch *l, u32 param_bytes); /* a copy; param zeroed */
/* Takes it over; what can be done now is done. */
struct ticket streams_push(struct streams *s, struct queued *q);
struct ticket streams_act(struct streams *s, u32 stream_id, struct action action);
struct ticket streams_wait(struct streams *s, u32 stream_id, struct ticket after);
void streams_set_apart(struct streams *s, u32 stream_id, bool apart);
struct queued *streams_take_ready(struct streams *s);               /* NULL: none */
/* The launch that is out of its stream has ended; frees it and goes on. */
void streams_end(struct streams *s, struct queued *q);
/* What waits in this stream, the one that is out included. */
u32 streams_waiting(const struct streams *s, u32 stream_id);
bool streams_done(const struct streams *s, struct ticket t);
/* The last that was queued in the stream, or one that is done. */
struct ticket streams_last(const struct streams *s, u32 stream_id);
void streams_free(struct streams *s); /* whatever is still in them */

#endif
