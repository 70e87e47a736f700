#include "host/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct stream_item *stream_item_new(const struct launch *l, u32 param_bytes)
{
    struct stream_item *q = base_alloc(sizeof *q + param_bytes);
    q->launch = *l;
    q->launch.param = q->param;
    q->launch.owner = q;
    q->ticket.stream = l->stream;
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

void streams_set_non_blocking(struct streams *s, u32 stream_id, bool non_blocking)
{
    stream_of(s, stream_id)->non_blocking = non_blocking;
}

static void make_ready(struct streams *s, struct stream_item *q)
{
    q->out = true;
    if (s->ready_last) s->ready_last->next_ready = q;
    else s->ready_first = q;
    s->ready_last = q;
}

static void drop_first(struct streams *s, struct stream *t)
{
    struct stream_item *q = t->first;
    t->first = q->next;
    if (!t->first) t->last = NULL;
    t->n--;
    s->pending--;
    free(q);
}

static bool comes_after(const struct stream *t, u64 number)
{
    return !t->first || t->first->ticket.number > number;
}

/* Returns true if all items that the legacy default stream orders before `q` have ended. */
static bool legacy_lets(const struct streams *s, const struct stream_item *q)
{
    u32 own = q->ticket.stream;
    if (!s->legacy || s->of[own].non_blocking) return true;
    if (own) return comes_after(&s->of[0], q->ticket.number);
    for (u32 i = 1; i < s->n; i++)
        if (!s->of[i].non_blocking && !comes_after(&s->of[i], q->ticket.number)) return false;
    return true;
}

/* Returns true if the time of `q`, the first item of stream `t`, has come; else the time in `at`.
 * Model: a launch waits for its latency since the call, and for the gap behind the stream's last
 * kernel (test/silicon). */
static bool is_time(const struct streams *s, const struct stream *t, const struct stream_item *q,
                    u64 *at)
{
    *at = q->until;
    if (q->kind == QUEUED_LAUNCH && t->launched) *at = max_u64(*at, t->launch_end + q->gap);
    return *at <= s->now;
}

/* Returns the next item: the first, or, after streams_early, a dependent launch behind the first.
 * NULL: none. */
static struct stream_item *next_item(const struct streams *s, const struct stream *t)
{
    struct stream_item *q = t->first;
    if (likely(!q || !q->early) || s->over) return q;
    q = q->next;
    return q && q->kind == QUEUED_LAUNCH && q->launch.dependent ? q : NULL;
}

/* Starts or finishes the next item of a stream if its turn has come. Returns false if nothing has
 * changed; sets s->wake if the item waits for a cycle. */
static bool stream_step(struct streams *s, u32 id)
{
    struct stream *t = &s->of[id];
    struct stream_item *q = next_item(s, t);
    u64 at;
    if (!q || q->out || !legacy_lets(s, q)) return false;
    if (q->kind == QUEUED_DELAY && q->until == NEVER && !s->over && !s->at_once)
        q->until = q->delay.end(q->delay.of, s->now);
    if (!s->over && !s->at_once && !is_time(s, t, q, &at)) {
        s->wake = min_u64(s->wake, at);
        return false;
    }
    switch (q->kind) {
    case QUEUED_LAUNCH:
        if (s->over) break;
        make_ready(s, q);
        return true;
    case QUEUED_DELAY: break;
    case QUEUED_WAIT:
        if (!streams_done(s, q->after)) return false;
        break;
    case QUEUED_ACTION:
        q->action.act(q->action.of, s->over ? FATE_GIVEN_UP : FATE_TURN);
        break;
    }
    drop_first(s, t);
    return true;
}

void streams_go_on(struct streams *s)
{
    for (bool some = true; some;) {
        some = false;
        s->wake = NEVER;
        for (u32 i = 0; i < s->n; i++)
            while (stream_step(s, i)) some = true;
    }
}

static struct ticket push(struct streams *s, struct stream_item *q)
{
    struct stream *t = stream_of(s, q->ticket.stream);
    struct ticket ticket = {q->ticket.stream, ++s->number};
    q->ticket = ticket;
    if (t->last) t->last->next = q;
    else t->first = q;
    t->last = q;
    t->n++;
    s->pending++;
    streams_go_on(s);
    return ticket;
}

struct ticket streams_push(struct streams *s, struct stream_item *q) { return push(s, q); }

struct ticket streams_act(struct streams *s, u32 stream_id, struct action action)
{
    struct stream_item *q = base_alloc(sizeof *q);
    q->kind = QUEUED_ACTION;
    q->action = action;
    q->ticket.stream = stream_id;
    return push(s, q);
}

struct ticket streams_wait(struct streams *s, u32 stream_id, struct ticket after)
{
    struct stream_item *q = base_alloc(sizeof *q);
    q->kind = QUEUED_WAIT;
    q->after = after;
    q->ticket.stream = stream_id;
    return push(s, q);
}

void streams_delay(struct streams *s, u32 stream_id, struct delay delay)
{
    struct stream_item *q = base_alloc(sizeof *q);
    q->kind = QUEUED_DELAY;
    q->delay = delay;
    q->until = NEVER;
    q->ticket.stream = stream_id;
    push(s, q);
}

struct stream_item *streams_take_ready(struct streams *s)
{
    struct stream_item *q = s->ready_first;
    if (!q) return NULL;
    s->ready_first = q->next_ready;
    if (!s->ready_first) s->ready_last = NULL;
    q->next_ready = NULL;
    return q;
}

void streams_end(struct streams *s, struct stream_item *q)
{
    struct stream *t = stream_of(s, q->ticket.stream);
    check(t->first == q || t->first->early);
    q->ended = true;
    while (t->first && t->first->ended) {
        t->launched = true;
        t->launch_end = s->now;
        drop_first(s, t);
    }
    streams_go_on(s);
}

void streams_early(struct streams *s, struct stream_item *q)
{
    q->early = true;
    streams_go_on(s);
}

u32 streams_waiting(const struct streams *s, u32 stream_id)
{
    return stream_id < s->n ? s->of[stream_id].n : 0;
}

bool streams_done(const struct streams *s, struct ticket t)
{
    return t.stream >= s->n || comes_after(&s->of[t.stream], t.number);
}

struct ticket streams_last(const struct streams *s, u32 stream_id)
{
    const struct stream_item *last = stream_id < s->n ? s->of[stream_id].last : NULL;
    return last ? last->ticket : (struct ticket){stream_id, 0};
}

void streams_free(struct streams *s)
{
    for (u32 i = 0; i < s->n; i++) {
        for (struct stream_item *q = s->of[i].first; q;) {
            struct stream_item *next = q->next;
            if (q->kind == QUEUED_ACTION) q->action.act(q->action.of, FATE_END);
            free(q);
            q = next;
        }
    }
    free(s->of);
    *s = (struct streams){.legacy = s->legacy, .now = s->now, .wake = NEVER};
}
