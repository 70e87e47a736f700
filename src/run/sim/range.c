/* Requests that are ranges of a CUDA program: a range begins after the arrival of the next request,
 * and the request is answered when all work queued before the range's end is done.
 * Model: a range's work is all work that the program has queued, by any thread; ranges do not
 * overlap, and a range without an end lasts to the end of the program. Source: NVTX marks ranges on
 * the host. */
#include "run/sim/internal.h"

#include "host/app.h"

void urgency_set(struct sim *s, u32 i)
{
    const struct requests *r = s->apps[i].requests;
    board_app_urgency(s->machine, i, input_priority(s->inputs.inputs[i]),
                      r ? requests_deadline(r) : NEVER);
}

/* Warns of a range that begins before the end of the last: nested ranges of one name, ranges of
 * several threads, or a range without an end. */
static void overlap_warn(struct sim *s, u32 app_id)
{
    const struct requests *r = s->apps[app_id].requests;
    const char *name = input_range(s->inputs.inputs[app_id]);
    struct text sentence = {0};
    if (!r->began_n || r->at[r->began_n - 1].last != NEVER) return;
    text_add(&sentence, "range '%s' begins before the end of the last range '%s': each is a "
             "request, and the first ends here", name, name);
    warning_add_once(&s->warnings, s->apps[app_id].name, sentence.bytes);
    text_free(&sentence);
}

bool range_begins(struct sim *s, u32 app_id, u64 *next)
{
    struct requests *r = s->apps[app_id].requests;
    u64 now = board_now(s->machine);
    overlap_warn(s, app_id);
    range_ends(s, app_id); /* of a range without an end */
    requests_arrive(r, now);
    *next = NEVER;
    r->over = !requests_more(r);
    if (r->over) return false;
    *next = requests_next(r);
    if (!requests_begin(r, now)) return false;
    urgency_set(s, app_id);
    return true;
}

void range_ends(struct sim *s, u32 app_id)
{
    struct requests *r = s->apps[app_id].requests;
    if (!r || !r->began_n || r->at[r->began_n - 1].last != NEVER) return;
    r->at[r->began_n - 1].last = s->running[app_id]->streams.number;
}

/* Returns true if all work up to item `number` of the app is done. */
static bool work_done(const struct streams *s, u64 number)
{
    for (u32 i = 0; i < s->n; i++)
        if (s->of[i].first && s->of[i].first->ticket.number <= number) return false;
    return true;
}

bool ranges_answer(struct sim *s, u32 app_id)
{
    struct requests *r = s->apps[app_id].requests;
    struct app *a = s->running[app_id];
    bool some = false;
    if (!r || !r->ranges) return false;
    if (app_state(a) == APP_COMPLETED) range_ends(s, app_id);
    for (; r->ended_n < r->began_n; some = true) {
        u64 last = r->at[r->ended_n].last;
        if (last == NEVER || !work_done(&a->streams, last)) break;
        requests_end(r, board_now(s->machine));
    }
    if (!some) return false;
    urgency_set(s, app_id);
    app_signal(a);
    return true;
}

void ranges_warn(struct sim *s, u32 app_id)
{
    const struct requests *r = s->apps[app_id].requests;
    struct text sentence = {0};
    if (!r || !r->ranges || r->began_n) return;
    text_add(&sentence, "the program has begun no range '%s' (CORUN_REQUEST_BEGIN, NVTX): no "
             "request was executed", input_range(s->inputs.inputs[app_id]));
    warning_add(&s->warnings, s->apps[app_id].name, 0, sentence.bytes);
    text_free(&sentence);
}
