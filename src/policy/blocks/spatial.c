/* spatial: every app owns a contiguous set of SMs; within an app, left-over. Papers 000 section 1,
 * 001 section 2.1, 002 sections 2.2 and 5.1. */
#include "corun/policy.h"

#include <stdio.h>
#include <string.h>

struct spatial {
    uint32_t sm_n, app_n;
    uint32_t share[CORUN_APPS_MAX]; /* SMs of each app */
    uint32_t need[CORUN_APPS_MAX];  /* SMs that the app's last launch can fill */
    bool launched[CORUN_APPS_MAX];
    bool oversubscribed;  /* more apps than SMs: the first apps to launch have an SM each */
    bool explicit_split, smart;
    enum corun_fill fill;
    char why[160];
    uint64_t *filled;
};

enum option { SPLIT, FILL };
static const struct corun_option options[] = {
    [SPLIT] =
        {"split", CORUN_WHOLES, "even", 0, 256, "even|smart", "SMs",
         "SMs of each app: even; smart: even, but no more than the app's blocks can fill; or a "
         "number per app, as in 10/6."},
    [FILL] = CORUN_FILL_OPTION,
    {0},
};

enum counter { FILLED_QUESTIONS };
static const struct corun_policy_stat stats[] = {
    [FILLED_QUESTIONS] =
        {"filled_questions", "questions",
         "Times an app got SMs not used by the owning app."},
    {0},
};

static const char *spatial_init(void *state, const struct corun_setup *setup,
                                const struct corun_value *values, uint64_t *counters)
{
    struct spatial *s = state;
    const struct corun_value *split = &values[SPLIT];
    *s = (struct spatial){.sm_n = setup->sm_n, .app_n = setup->app_n};
    s->filled = &counters[FILLED_QUESTIONS];
    s->fill = corun_fill_of(&values[FILL]);
    s->explicit_split = !split->word;
    s->smart = split->word && !strcmp(split->word, "smart");
    s->oversubscribed = !s->explicit_split && setup->app_n > setup->sm_n;
    uint32_t sum = 0;
    if (s->explicit_split && split->list_n != setup->app_n) {
        snprintf(s->why, sizeof s->why, "split names %u apps, the run has %u: a number for each",
                 split->list_n, setup->app_n);
        return s->why;
    }
    for (uint32_t a = 0; a < setup->app_n; a++) {
        s->share[a] = s->explicit_split ? (uint32_t)split->list[a]
                                        : corun_part(setup->sm_n, setup->app_n, a);
        if (s->explicit_split && !s->share[a]) return "split gives an app no SM";
        sum += s->share[a];
    }
    if (sum > setup->sm_n) {
        snprintf(s->why, sizeof s->why, "split adds up to %u SMs, the machine has %u", sum,
                 setup->sm_n);
        return s->why;
    }
    return NULL;
}

/* Returns the app's oldest kernel with pending blocks; kernel_n: none. */
static uint32_t next_kernel(const struct corun_view *view, uint32_t app)
{
    for (uint32_t k = 0; k < view->kernel_n; k++)
        if (view->kernels[k].app_id == app && view->kernels[k].pending_blocks) return k;
    return view->kernel_n;
}

static bool holds(const struct spatial *s, const struct corun_view *view, uint32_t app)
{
    return corun_app_holds(view, s->fill, s->launched, app);
}

/* Notes the number of SMs that the blocks of each app's launch can fill. With fill=tail only the
 * remaining blocks count. */
static void needs_note(struct spatial *s, const struct corun_view *view)
{
    uint32_t running[CORUN_APPS_MAX], n = corun_running(view, running);
    for (uint32_t i = 0; i < n; i++) {
        const struct corun_kernel *kernel = &view->kernels[running[i]];
        uint64_t left = kernel->pending_blocks + kernel->running_blocks;
        uint64_t blocks = s->fill == CORUN_FILL_TAIL ? left : kernel->grid_blocks;
        uint64_t sms = (blocks + kernel->full_blocks - 1) / kernel->full_blocks;
        s->need[kernel->app_id] = sms < view->sm_n ? (uint32_t)sms : view->sm_n;
    }
}

/* Splits the SMs by need (paper 002 section 5.4): an app whose need is at most an even part gets
 * the need; the other apps divide the rest evenly, and a single remaining app gets the whole
 * rest. */
static void smart_split(struct spatial *s, const struct corun_view *view)
{
    bool open[CORUN_APPS_MAX];
    uint32_t open_n = 0, free = s->sm_n;
    needs_note(s, view);
    for (uint32_t a = 0; a < s->app_n; a++) {
        open[a] = holds(s, view, a);
        open_n += open[a];
        s->share[a] = 0;
    }
    for (uint32_t a = 0; open_n > 1 && a < s->app_n; a++) {
        if (!open[a] || s->need[a] > free / open_n) continue;
        s->share[a] = s->need[a];
        free -= s->need[a];
        open[a] = false;
        open_n--;
        a = UINT32_MAX; /* the even part has grown: reconsider all apps */
    }
    uint32_t part = open_n ? free / open_n : 0, more = open_n ? free % open_n : 0;
    for (uint32_t a = 0; a < s->app_n; a++) {
        if (!open[a]) continue;
        s->share[a] = part + (more > 0);
        more -= more > 0;
    }
}

/* If apps outnumber SMs: returns the app that uses the SM. SMs belong to the apps whose kernels
 * were launched first, and the other apps queue (a restarting app goes to the end). app_n: no
 * app. */
static uint32_t oversubscribed_user(const struct spatial *s, const struct corun_view *view,
                                    uint32_t sm)
{
    uint32_t sharer[CORUN_APPS_MAX], sharer_n = corun_sharers(view, s->fill, sharer);
    uint32_t n = 0, first[CORUN_APPS_MAX];
    for (uint32_t k = 0; k < view->kernel_n && n < s->sm_n; k++)
        for (uint32_t i = 0; i < sharer_n; i++)
            if (sharer[i] == k) first[n++] = view->kernels[k].app_id;
    if (sm < n) return first[sm];
    return n && s->fill != CORUN_FILL_OFF ? first[sm % n] : s->app_n;
}

static void oversubscribed_share(const struct spatial *s, const struct corun_view *view,
                                 uint32_t *target)
{
    for (uint32_t sm = 0; sm < view->sm_n; sm++) {
        uint32_t k = next_kernel(view, oversubscribed_user(s, view, sm));
        if (k < view->kernel_n) target[sm * view->kernel_n + k] = CORUN_TARGET_FULL;
    }
}

static bool is_queued(const struct spatial *s, const struct corun_view *view, uint32_t app)
{
    if (!s->oversubscribed) return false;
    for (uint32_t sm = 0; sm < s->sm_n; sm++)
        if (oversubscribed_user(s, view, sm) == app) return false;
    return true;
}

/* Returns the app that uses the SM. SMs not held by their owner are distributed round-robin to the
 * apps with pending blocks, lowest id first (paper 002 section 5.1). */
static uint32_t sm_user(const struct spatial *s, const struct corun_view *view, uint32_t owner,
                        uint32_t sm)
{
    if (holds(s, view, owner)) return owner;
    uint32_t with[CORUN_APPS_MAX], n = corun_players(view, with);
    return n ? view->kernels[with[sm % n]].app_id : owner;
}

/* Left-over within an app: later kernels wait until the oldest kernel has no pending blocks. */
static void spatial_admit(void *state, const struct corun_view *view, bool *admit)
{
    for (uint32_t k = 0; k < view->kernel_n; k++) {
        uint32_t app = view->kernels[k].app_id;
        if (view->kernels[k].pending_blocks)
            admit[k] = k == next_kernel(view, app) && !is_queued(state, view, app);
    }
}

static void spatial_share(void *state, const struct corun_view *view, uint32_t *target)
{
    struct spatial *s = state;
    memset(target, 0, sizeof *target * view->sm_n * view->kernel_n);
    if (s->oversubscribed) {
        oversubscribed_share(s, view, target);
        return;
    }
    corun_note_launched(view, s->launched);
    if (s->smart) smart_split(s, view);
    uint32_t sm = 0;
    for (uint32_t owner = 0; owner <= s->app_n;
         owner++) { /* last iteration: SMs assigned by no split */
        uint32_t end = owner < s->app_n ? sm + s->share[owner] : view->sm_n;
        for (; sm < end; sm++) {
            uint32_t user = owner < s->app_n ? sm_user(s, view, owner, sm) : s->app_n;
            uint32_t k = next_kernel(view, user);
            *s->filled += user != owner && owner < s->app_n;
            if (k < view->kernel_n) target[sm * view->kernel_n + k] = CORUN_TARGET_FULL;
        }
    }
}

static uint32_t spatial_traits(const struct corun_value *values)
{
    return values[SPLIT].word ? CORUN_SYMMETRIC : CORUN_TABLE;
}

const struct corun_policy corun_policy_spatial = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "spatial",
    .sentence = "Every app owns a contiguous set of SMs, shared by its kernels left-over.",
    .source = "papers 000 section 1, 001 section 2.1, 002 sections 2.2 and 5.1",
    .options = options,
    .stats = stats,
    .state_bytes = sizeof(struct spatial),
    .init = spatial_init,
    .admit = spatial_admit,
    .share = spatial_share,
    .traits = spatial_traits,
};
