/* The streams of one app. A stream is in order: one launch of it is out (ready or at the GPU) at a
 * time, the next becomes ready when that one ends. Streams are independent. Ready launches leave in
 * the order they became ready. */
#ifndef CORUN_STREAM_H
#define CORUN_STREAM_H

#include "gpu/kernel.h"

/* Model: a stream holds 1024 launches, then the host program waits: guess, from CUDA's queue. */
enum { STREAM_ROOM = 1024, STREAM_ID_MAX = 1023 };

struct queued { /* a launch from host_launch to its end; launch.owner points here */
    struct launch launch;
    struct queued *next; /* in its stream */
    struct queued *next_ready;
    _Alignas(16) u8 param[]; /* launch.param */
};
struct stream {
    struct queued *first, *last; /* the first one is out */
    u32 n;
};
struct streams {
    struct stream *of; /* [stream id] */
    u32 n;             /* ids in use so far */
    struct queued *ready_first, *ready_last;
    u32 pending; /* launches in all streams */
};

struct queued *queued_new(const struct launch *l, u32 param_bytes); /* a copy; param zeroed */
void streams_push(struct streams *s, struct queued *q);             /* takes it over */
struct queued *streams_take_ready(struct streams *s);               /* NULL: none */
/* The launch that is out of its stream has ended; frees it. */
void streams_end(struct streams *s, struct queued *q);
/* Launches in this stream, the one that is out included. */
u32 streams_waiting(const struct streams *s, u32 stream_id);
void streams_free(struct streams *s); /* whatever is still in them */

#endif
