/* corun/policy_help.h - functions that policies share: order, room on an SM, kernels that take
 * part, unused shares, classes of use. Included by corun/policy.h. A policy may do without. */
#ifndef CORUN_POLICY_HELP_H
#define CORUN_POLICY_HELP_H

#include "corun/policy.h"

static inline uint32_t corun_least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Writes a log line as view->log does, formatted as by printf. */
#define corun_log(view, ...)                                                                       \
    do {                                                                                           \
        char line_[1001];                                                                          \
        (view)->log(view, (snprintf(line_, sizeof line_, __VA_ARGS__), line_));                    \
    } while (0)

/* Thresholds of classes by use of resources. Underutilized: use below `under` for every resource.
 * Saturated: use above `saturated` for any resource. Moderate: all others. Paper 003 table 3. */
struct corun_limits { double under, saturated; };
static inline struct corun_limits corun_limits_of(enum corun_resource r)
{
    static const struct corun_limits limits[CORUN_RESOURCE_N] = {
        [CORUN_SCHEDULER] = {0.60, 0.80}, [CORUN_L1] = {0.60, 0.80}, [CORUN_L2] = {0.60, 0.80},
        [CORUN_TO_L2] = {0.60, 0.90}, [CORUN_TO_SM] = {0.60, 0.90}, [CORUN_DRAM] = {0.50, 0.70}};
    return limits[r];
}
enum corun_class { CORUN_UNDERUTILIZED, CORUN_MODERATE, CORUN_SATURATED };
static inline enum corun_class corun_class_of(const double use[CORUN_RESOURCE_N])
{
    bool under = true, saturated = false;
    for (uint32_t r = 0; r < CORUN_RESOURCE_N; r++) {
        struct corun_limits of = corun_limits_of((enum corun_resource)r);
        under &= use[r] < of.under;
        saturated |= use[r] > of.saturated;
    }
    return saturated ? CORUN_SATURATED : under ? CORUN_UNDERUTILIZED : CORUN_MODERATE;
}

/* Returns the number of blocks that fit on an SM with `used` already occupied. */
static inline uint32_t corun_room(const struct corun_resources *sm,
                                  const struct corun_resources *used,
                                  const struct corun_resources *block)
{
    uint32_t n = UINT32_MAX;
    if (used->threads > sm->threads || used->registers > sm->registers ||
        used->shared_bytes > sm->shared_bytes || used->blocks > sm->blocks)
        return 0;
    if (block->threads) n = corun_least(n, (sm->threads - used->threads) / block->threads);
    if (block->registers) n = corun_least(n, (sm->registers - used->registers) / block->registers);
    if (block->shared_bytes)
        n = corun_least(n, (sm->shared_bytes - used->shared_bytes) / block->shared_bytes);
    if (block->blocks) n = corun_least(n, (sm->blocks - used->blocks) / block->blocks);
    return n;
}

/* Adds the resources of n blocks to `used`. */
static inline void corun_take(struct corun_resources *used, const struct corun_resources *block,
                              uint32_t n)
{
    used->threads += n * block->threads;
    used->registers += n * block->registers;
    used->shared_bytes += n * block->shared_bytes;
    used->blocks += n * block->blocks;
}

/* Sorts the n entries of order[] by ascending value[entry]. Stable. */
static inline void corun_sort(const double *value, uint32_t n, uint32_t *order)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t one = order[i], at = i;
        for (; at && value[one] < value[order[at - 1]]; at--) order[at] = order[at - 1];
        order[at] = one;
    }
}

/* Fills rank[i] with the number of entries before entry i in ascending order of value; among equal
 * values the smaller index comes first. */
static inline void corun_rank(const double *value, uint32_t n, uint32_t *rank)
{
    for (uint32_t i = 0; i < n; i++) {
        rank[i] = 0;
        for (uint32_t j = 0; j < n; j++)
            rank[i] += value[j] < value[i] || (value[j] == value[i] && j < i);
    }
}

/* Returns the number of seated blocks of the kernel on the SM; targets count seated blocks. */
static inline uint32_t corun_seated(const struct corun_view *view, uint32_t sm, uint32_t kernel)
{
    uint32_t at = sm * view->kernel_n + kernel;
    return view->resident[at] - (view->extra ? view->extra[at] : 0);
}

/* Fills `out` with the app's counts, summed over all SMs. */
static inline void corun_count_gpu(const struct corun_view *view, uint32_t app_id,
                                   struct corun_counts *out)
{
    enum { COUNTS = sizeof *out / sizeof(uint64_t) };
    uint64_t sum[COUNTS] = {0}, one[COUNTS];
    for (uint32_t sm = 0; sm < view->sm_n; sm++) {
        view->count(view, sm, app_id, out);
        memcpy(one, out, sizeof one);
        for (uint32_t i = 0; i < COUNTS; i++) sum[i] += one[i];
    }
    memcpy(out, sum, sizeof sum);
}

/* Returns true when all SMs have reached new targets. A policy that has decided on new targets sets
 * *timer, the value returned by its hook `timer`, to the next cycle, because an SM already at its
 * targets causes no CORUN_SETTLED. The policy then passes every event to this function until the
 * function returns true. */
static inline bool corun_in_place(const struct corun_view *view, const struct corun_event *event,
                                  uint64_t *timer)
{
    bool due = event->kind == CORUN_TIMER && view->now >= *timer;
    if (!due && event->kind != CORUN_SETTLED) return false;
    *timer = CORUN_NEVER;
    for (uint32_t sm = 0; sm < view->sm_n; sm++)
        if (!view->settled[sm]) return false;
    return true;
}

/* Finds the kernels that share the GPU now: for each app the first kernel with pending blocks in
 * the order of view->kernels (by stream priority, then by arrival). Fills player[] with indices
 * into view->kernels, by app id; returns their number, at most app_n. */
static inline uint32_t corun_players(const struct corun_view *view, uint32_t *player)
{
    uint32_t n = 0;
    for (uint32_t a = 0; a < view->app_n; a++)
        for (uint32_t k = 0; k < view->kernel_n; k++) {
            const struct corun_kernel *kernel = &view->kernels[k];
            if (kernel->app_id != a || !kernel->pending_blocks) continue;
            player[n++] = k;
            break;
        }
    return n;
}

/* Finds the kernels that run: for each app the first kernel with pending blocks, otherwise the
 * app's first kernel. Fills running[] with indices into view->kernels; returns their number. */
static inline uint32_t corun_running(const struct corun_view *view, uint32_t *running)
{
    uint32_t n = 0;
    for (uint32_t a = 0; a < view->app_n; a++) {
        uint32_t best = view->kernel_n;
        for (uint32_t k = view->kernel_n; k--;) {
            const struct corun_kernel *kernel = &view->kernels[k];
            if (kernel->app_id != a) continue;
            if (best == view->kernel_n || kernel->pending_blocks ||
                !view->kernels[best].pending_blocks)
                best = k;
        }
        if (best < view->kernel_n) running[n++] = best;
    }
    return n;
}

/* Conditions under which an app without pending blocks gives its share to the other apps. Every
 * policy that assigns shares has CORUN_FILL_OPTION among its options. */
enum corun_fill { CORUN_FILL_END, CORUN_FILL_TAIL, CORUN_FILL_OFF };
#define CORUN_FILL_OPTION                                                                          \
    {"fill", CORUN_WORD, "end", 0, 0, "end|tail|off", "",                                          \
     "When the share of an app without pending blocks is given to other apps: after the app's "    \
     "last launch of the run (end), at the end of each launch of the app (tail), or never (off). " \
     "A policy that shares by blocks gives no share to an app without a kernel at the GPU."}
static inline enum corun_fill corun_fill_of(const struct corun_value *value)
{
    return value->word[0] == 'e'   ? CORUN_FILL_END
           : value->word[0] == 't' ? CORUN_FILL_TAIL : CORUN_FILL_OFF;
}

/* Returns true if the kernel, one of corun_running, keeps its app's share. */
static inline bool corun_holds(const struct corun_view *view, enum corun_fill fill, uint32_t kernel)
{
    const struct corun_kernel *k = &view->kernels[kernel];
    return k->pending_blocks || fill == CORUN_FILL_OFF ||
           (fill == CORUN_FILL_END && !view->app_ended[k->app_id]);
}

/* Sets the flag of each app with a kernel: launched[app], for corun_app_holds. */
static inline void corun_note_launched(const struct corun_view *view, bool *launched)
{
    for (uint32_t k = 0; k < view->kernel_n; k++) launched[view->kernels[k].app_id] = true;
}

/* Returns true if an app keeps the share: with fill=end from the app's first launch to the end of
 * the last, also between launches. For shares of SMs or lines, without regard to kernels. */
static inline bool corun_app_holds(const struct corun_view *view, enum corun_fill fill,
                                   const bool *launched, uint32_t app)
{
    if (fill == CORUN_FILL_OFF) return true;
    if (fill == CORUN_FILL_END) return launched[app] && !view->app_ended[app];
    for (uint32_t k = 0; k < view->kernel_n; k++)
        if (view->kernels[k].app_id == app && view->kernels[k].pending_blocks) return true;
    return false;
}

/* Finds the kernels that hold a share, among the kernels of corun_running. Fills sharer[]; returns
 * their number. */
static inline uint32_t corun_sharers(const struct corun_view *view, enum corun_fill fill,
                                     uint32_t *sharer)
{
    uint32_t m = 0, n = corun_running(view, sharer);
    for (uint32_t i = 0; i < n; i++)
        if (corun_holds(view, fill, sharer[i])) sharer[m++] = sharer[i];
    return m;
}

/* Admits the n kernels in player[] and no other kernel with pending blocks. */
static inline void corun_admit_only(const struct corun_view *view, const uint32_t *player,
                                    uint32_t n, bool *admit)
{
    for (uint32_t k = 0; k < view->kernel_n; k++) admit[k] = !view->kernels[k].pending_blocks;
    for (uint32_t i = 0; i < n; i++) admit[player[i]] = true;
}

/* Divides an app's limit on an SM among the app's kernels with blocks on the SM: as evenly as
 * integers allow, at least 1 for each kernel. */
static inline void corun_limit_app(const struct corun_view *view, uint32_t sm, uint32_t app_id,
                                   uint32_t most, uint32_t *limit)
{
    const uint32_t *resident = &view->resident[sm * view->kernel_n];
    uint32_t n = 0, i = 0;
    for (uint32_t k = 0; k < view->kernel_n; k++)
        n += view->kernels[k].app_id == app_id && resident[k];
    for (uint32_t k = 0; k < view->kernel_n; k++) {
        if (view->kernels[k].app_id != app_id || !resident[k]) continue;
        limit[k] = most > n ? most / n + (i++ < most % n) : 1;
    }
}

/* Returns the index of the app that owns an SM when n apps own equal numbers of adjacent SMs; if
 * sm_n is not a multiple of n, the first apps have one SM more. */
static inline uint32_t corun_even_owner(uint32_t sm, uint32_t sm_n, uint32_t n)
{
    uint32_t each = sm_n / n, more = sm_n % n, first = more * (each + 1);
    if (sm < first) return sm / (each + 1);
    return each ? more + (sm - first) / each : n;
}

/* Returns the share of the i-th of n parties in an even division of `all`; the first parties get
 * one more if n does not divide `all`. */
static inline uint32_t corun_part(uint32_t all, uint32_t n, uint32_t i)
{
    return all / n + (i < all % n);
}

/* Returns the apps with a block on the SM, a bit for each app. */
static inline uint32_t corun_apps_on(const struct corun_view *view, uint32_t sm)
{
    uint32_t apps = 0;
    for (uint32_t k = 0; k < view->kernel_n; k++)
        if (view->resident[sm * view->kernel_n + k]) apps |= 1u << view->kernels[k].app_id;
    return apps;
}

/* The policy defined by a user's file. Files in src/policy name theirs corun_policy_FILE (FILE.c,
 * with _ for -), as listed in list.def. The same source works under both names. */
extern const struct corun_policy corun_policy;

#endif
