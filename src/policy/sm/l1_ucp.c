/* l1-ucp: divides the lines of each L1 set of an SM by the benefit to the apps (UCP). For every app
 * the SM counts the hits that each number of lines would yield. At the end of each period the
 * lookahead algorithm repeatedly gives lines to the app with most hits per line. Apps with blocks
 * on the SM share; parts are even until all of these apps have been counted at the end of a period.
 * Paper 000 section 3.1 (WS-L1D Partition); utility-based cache partitioning is by Qureshi and
 * Patt. */
#include "corun/policy.h"

#include <stdio.h>
#include <string.h>

enum { SMS = CORUN_SMS_MAX, COUNTERS = 1 << 18, WORD = 64 };
struct ucp {
    uint32_t sm_n, app_n, ways, words, sample;
    uint64_t period, next;
    uint32_t counted[SMS]; /* apps present at the end of a period, a bit each */
    uint32_t decided[SMS]; /* apps among which `part` divides the current hits; 0: none */
    uint32_t part[SMS][CORUN_APPS_MAX]; /* last answer */
    uint64_t *periods, *changes;
    char why[160];
    /* [sm][app][place]: hits of the last period, plus half of the previous value; and the values of
     * view->count_reuse at the end of the last period */
    uint32_t hits[COUNTERS];
    uint64_t before[COUNTERS];
    uint64_t live[COUNTERS / WORD + SMS * CORUN_APPS_MAX]; /* [sm][app][word]: places with hits */
};

/* An app's counters on an SM. */
struct counts {
    uint32_t *hits;
    uint64_t *before, *live;
};
static struct counts counts_of(struct ucp *u, uint32_t sm, uint32_t app)
{
    size_t at = (size_t)sm * u->app_n + app;
    return (struct counts){u->hits + at * u->ways, u->before + at * u->ways,
                           u->live + at * u->words};
}

enum option { PERIOD, SAMPLE };
static const struct corun_option options[] = {
    [PERIOD] =
        {"period", CORUN_WHOLE, "50000", 1, 1e12, NULL, "cycles",
         "Time between two decisions about the parts; each decision halves the counters."},
    [SAMPLE] =
        {"sample", CORUN_WHOLE, "1", 1, 4096, NULL, "sets",
         "Sampling interval: one L1 set in N is monitored."},
    {0},
};

enum counter { PERIODS, CHANGES };
static const struct corun_policy_stat stats[] = {
    [PERIODS] = {"periods", "periods", "Completed periods."},
    [CHANGES] = {"changes", "times", "Changes of the parts of an SM, summed over SMs."},
    {0},
};

static const char *ucp_init(void *state, const struct corun_setup *setup,
                            const struct corun_value *values, uint64_t *counters)
{
    struct ucp *u = state;
    u->sm_n = setup->sm_n;
    u->app_n = setup->app_n;
    u->ways = setup->l1_ways;
    u->words = (u->ways + WORD - 1) / WORD;
    u->period = u->next = (uint64_t)values[PERIOD].number;
    u->sample = (uint32_t)values[SAMPLE].number;
    u->periods = &counters[PERIODS];
    u->changes = &counters[CHANGES];
    if (u->sm_n <= SMS && (uint64_t)u->sm_n * u->app_n * u->ways <= COUNTERS) return NULL;
    snprintf(u->why, sizeof u->why,
             "%u SMs x %u apps x %u lines of a set: it counts for %u SMs and %u lines at most",
             u->sm_n, u->app_n, u->ways, SMS, COUNTERS);
    return u->why;
}

/* ---- lookahead ---- */

struct bid { /* the number of lines that yields most hits per line, and the sum of the hits */
    uint64_t lines, hits;
};

/* Returns the best bid among the next `free` places after the first `have`. Places without hits are
 * skipped because the best bid always ends at a place with hits. */
static struct bid bid_make(const struct counts *c, uint32_t have, uint32_t free)
{
    struct bid best = {1, 0};
    uint64_t sum = 0;
    uint32_t end = have + free;
    for (uint32_t first = have & ~(WORD - 1u); first < end; first += WORD) {
        uint64_t live = c->live[first / WORD];
        if (first < have) live &= ~UINT64_C(0) << (have - first);
        for (; live; live &= live - 1) {
            uint32_t place = first + (uint32_t)__builtin_ctzll(live), n = place - have + 1;
            if (place >= end) return best;
            sum += c->hits[place];
            if (sum * best.lines > best.hits * n) best = (struct bid){n, sum};
        }
    }
    return best;
}

/* Returns the app with the highest bid; ties go to the lower app. */
static uint32_t bid_highest(const struct bid *bid, uint32_t app_n, uint32_t apps)
{
    uint32_t best = (uint32_t)__builtin_ctz(apps);
    for (uint32_t a = 0; a < app_n; a++)
        if (apps >> a & 1 && bid[a].hits * bid[best].lines > bid[best].hits * bid[a].lines)
            best = a;
    return best;
}

/* Gives out lines singly, each to the app with fewest lines, the lower app among equals; computed
 * by raising all apps at the lowest level together. */
static void level(uint32_t *part, uint32_t app_n, uint32_t apps, uint32_t free)
{
    while (free) {
        uint32_t low = UINT32_MAX, next = UINT32_MAX, n = 0;
        for (uint32_t a = 0; a < app_n; a++) {
            if (!(apps >> a & 1)) continue;
            if (part[a] < low) {
                next = low;
                low = part[a];
                n = 0;
            } else if (part[a] > low && part[a] < next) {
                next = part[a];
            }
            n += part[a] == low;
        }
        uint32_t rise = free / n, rest = free % n;
        if (rise >= next - low) {
            rise = next - low;
            rest = 0;
        }
        free -= rise * n + rest;
        for (uint32_t a = 0; a < app_n; a++) {
            if (!(apps >> a & 1) || part[a] != low) continue;
            part[a] += rise + (rest > 0);
            rest -= rest > 0;
        }
    }
}

/* Gives each app a single line, then lines to the highest bid until no app gains; level gives out
 * the rest. */
static void lookahead(struct ucp *u, uint32_t sm, uint32_t apps, uint32_t *part)
{
    struct bid bid[CORUN_APPS_MAX] = {{0}};
    struct counts counts[CORUN_APPS_MAX];
    uint32_t free = u->ways;
    for (uint32_t a = 0; a < u->app_n; a++) {
        counts[a] = counts_of(u, sm, a);
        if (apps >> a & 1) free -= part[a] = 1;
    }
    while (free) {
        for (uint32_t a = 0; a < u->app_n; a++)
            if (apps >> a & 1 && (!bid[a].lines || bid[a].lines > free))
                bid[a] = bid_make(&counts[a], part[a], free);
        uint32_t to = bid_highest(bid, u->app_n, apps);
        if (!bid[to].hits) break;
        part[to] += (uint32_t)bid[to].lines;
        free -= (uint32_t)bid[to].lines;
        bid[to].lines = 0;
    }
    level(part, u->app_n, apps, free);
}

/* ---- hooks ---- */

/* Halves the hits of earlier periods and adds those of the last period. Returns true if some
 * counter has changed. Places without hits in both are skipped, which are most places if periods
 * are short. */
static bool period_count(struct ucp *u, const struct corun_view *view, uint32_t sm, uint32_t app)
{
    const uint64_t *now = view->count_reuse(view, sm, app);
    struct counts c = counts_of(u, sm, app);
    bool changed = false;
    for (uint32_t k = 0; k < u->words; k++) {
        uint32_t first = k * WORD, n = u->ways - first < WORD ? u->ways - first : WORD;
        uint64_t live = c.live[k];
        bool more = memcmp(now + first, c.before + first, n * sizeof *now) != 0;
        changed |= live || more;
        for (uint64_t left = live; left; left &= left - 1) {
            uint32_t i = (uint32_t)__builtin_ctzll(left);
            if (!(c.hits[first + i] /= 2)) live &= ~(UINT64_C(1) << i);
        }
        for (uint32_t i = 0; more && i < n; i++) {
            c.hits[first + i] += (uint32_t)(now[first + i] - c.before[first + i]);
            c.before[first + i] = now[first + i];
            live |= (uint64_t)(c.hits[first + i] > 0) << i;
        }
        c.live[k] = live;
    }
    return changed;
}

/* Handles the end of a period. */
static void ucp_watch(void *state, const struct corun_view *view, const struct corun_event *event)
{
    struct ucp *u = state;
    (void)event;
    if (view->now < u->next) return;
    u->next += u->period;
    ++*u->periods;
    for (uint32_t sm = 0; sm < u->sm_n; sm++) {
        u->counted[sm] |= corun_apps_on(view, sm);
        for (uint32_t a = 0; a < u->app_n; a++)
            if (period_count(u, view, sm, a)) u->decided[sm] = 0;
    }
}

/* Fills the parts. If apps outnumber lines no parts are set. */
static void ucp_lines(void *state, const struct corun_view *view, uint32_t sm, uint32_t *ways)
{
    struct ucp *u = state;
    uint32_t apps = corun_apps_on(view, sm), n = (uint32_t)__builtin_popcount(apps), i = 0;
    bool changed = false;
    if (n && n <= u->ways && apps & ~u->counted[sm]) {
        for (uint32_t a = 0; a < u->app_n; a++)
            if (apps >> a & 1) ways[a] = corun_part(u->ways, n, i++);
        u->decided[sm] = 0;
    } else if (n && n <= u->ways && u->decided[sm] == apps) {
        memcpy(ways, u->part[sm], u->app_n * sizeof *ways);
        return;
    } else if (n && n <= u->ways) {
        lookahead(u, sm, apps, ways);
        u->decided[sm] = apps;
    } else {
        u->decided[sm] = 0;
    }
    for (uint32_t a = 0; a < u->app_n; a++) {
        changed |= ways[a] != u->part[sm][a];
        u->part[sm][a] = ways[a];
    }
    *u->changes += changed;
}

static uint64_t ucp_timer(const void *state) { return ((const struct ucp *)state)->next; }

static uint32_t ucp_reuse(const void *state) { return ((const struct ucp *)state)->sample; }

const struct corun_policy corun_policy_l1_ucp = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "l1-ucp",
    .sentence = "Divides lines of L1 among the apps on an SM by each app's gain (UCP).",
    .source = "paper 000 section 3.1",
    .options = options,
    .stats = stats,
    .state_bytes = sizeof(struct ucp),
    .init = ucp_init,
    .l1_lines = ucp_lines,
    .watch = ucp_watch,
    .events = 1u << CORUN_TIMER,
    .timer = ucp_timer,
    .l1_reuse = ucp_reuse,
};
