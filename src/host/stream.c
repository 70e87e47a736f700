#include "host/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct queued *queued_new(const struct launch *l, u32 param_bytes)
{
    struct queued *q = base_alloc(sizeof *q + param_bytes);
    q->launch = *l;
    q->launch.param = q->param;
    q->launch.owner = q;
    return q;
}

static struct stream *stream_of(struct streams *s, u32 id)
{
    check(id <= STREAM_ID_MAX);
    if (id >= s->n) {
        s->of = base_realloc(s->of, (id + 1) * sizeof *s->of);
        memset(s->of + s->n, 0, (id + 1 - s->n) * sizeof *s->of);
        s->n = id + 1;
    }
    return &s->of[id];
}

static void make_ready(struct streams *s, struct queued *q)
{
    if (s->ready_last) s->ready_last->next_ready = q;
    else s->ready_first = q;
    s->ready_last = q;
}

void streams_push(struct streams *s, struct queued *q)
{
    struct stream *t = stream_of(s, q->launch.stream);
    if (t->last) t->last->next = q;
    else t->first = q;
    t->last = q;
    t->n++;
    s->pending++;
    if (t->first == q) make_ready(s, q);
}

struct queued *streams_take_ready(struct streams *s)
{
    struct queued *q = s->ready_first;
    if (!q) return NULL;
    s->ready_first = q->next_ready;
    if (!s->ready_first) s->ready_last = NULL;
    q->next_ready = NULL;
    return q;
}

void streams_end(struct streams *s, struct queued *q)
{
    struct stream *t = stream_of(s, q->launch.stream);
    check(t->first == q);
    t->first = q->next;
    if (!t->first) t->last = NULL;
    else make_ready(s, t->first);
    t->n--;
    s->pending--;
    free(q);
}

u32 streams_waiting(const struct streams *s, u32 stream_id)
{
    return stream_id < s->n ? s->of[stream_id].n : 0;
}

void streams_free(struct streams *s)
{
    for (u32 i = 0; i < s->n; i++) {
        for (struct queued *q = s->of[i].first; q;) {
            struct queued *next = q->next;
            free(q);
            q = next;
        }
    }
    free(s->of);
    *s = (struct streams){0};
}
