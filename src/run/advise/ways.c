#include "run/advise/ways.h"

#include <stdlib.h>
#include <string.h>
#include "gpu/dispatch/ask.h"
#include "run/advise/splits.h"
#include "run/input/mechanism.h"
#include "run/study/mix.h"

enum { TPC_SMS = 2 };        /* mps gives a client with a percentage whole TPCs */

struct lister {
    struct splits *to;
    const struct sim_setup *sim;
    u32 sm_n, step;
    const struct mixes *sms; /* splits of the SMs in steps */
    const struct alone *whole;
    struct corun_setup setup;
    enum way way;
    const char *refused;     /* the way's first refusal; NULL: none */
};

static void list_sms(struct lister *l);
static void list_percent(struct lister *l);
static void list_chunks(struct lister *l);
static void list_profiles(struct lister *l);
static void list_tables(struct lister *l);

static const struct way_row {
    const char *policy, *option, *label;
    enum split_kind kind;
    void (*list)(struct lister *l);
} rows[WAY_N] = {
#define WAY(id, policy, option, label, kind, list) [id] = {policy, option, label, kind, list},
#include "run/advise/way.def"
#undef WAY
};

const char *way_label(enum way way) { return rows[way].label; }

/* ---- names ---- */

static void unknown_way(const struct source *s, size_t at, const char *word, struct fail *fail)
{
    struct nearest near;
    const char *what = word[0] ? "no way of sharing is called '%s'" : "a name is missing%s";
    nearest_init(&near, word);
    fail_at(fail, s, at, what, word);
    for (u32 w = 0; w < WAY_N; w++) nearest_offer(&near, rows[w].policy);
    fail_nearest(fail, &near);
    fail_note(fail, "ways: spatial, mps, green, mig, fixed, all");
}

u32 ways_parse(const char *text, struct fail *fail)
{
    struct source source = {COMMAND_LINE, text, strlen(text)};
    u32 ways = 0, before = fail->error_n;
    for (size_t at = 0; at <= source.size;) {
        char word[64];
        size_t n = strcspn(text + at, ",");
        u32 found = 0;
        snprintf(word, sizeof word, "%.*s", (int)(n < 63 ? n : 63), text + at);
        for (u32 w = 0; w < WAY_N; w++)
            if (!strcmp(word, rows[w].policy) || !strcmp(word, "all")) found |= 1U << w;
        if (!found) unknown_way(&source, at, word, fail);
        ways |= found;
        at += n + 1;
    }
    return fail->error_n == before ? ways : 0;
}

/* ---- questions to the policy ---- */

static const char *keep(struct lister *l, const char *text)
{
    return arena_text(&l->to->arena, text, strlen(text));
}

/* Takes the SMs and the memory of each app from a policy with state. */
static void take_parts(const struct lister *l, const struct corun_policy *policy, void *state,
                       struct split *to)
{
    struct corun_instance instance[CORUN_APPS_MAX] = {0};
    struct corun_sm_set set[CORUN_APPS_MAX] = {0};
    u32 of_app[CORUN_APPS_MAX] = {0};
    if (policy->instances) policy->instances(state, &l->setup, instance, of_app);
    else if (policy->sets) policy->sets(state, &l->setup, set, of_app);
    for (u32 a = 0; a < l->to->app_n; a++) {
        const struct corun_instance *own = &instance[of_app[a]];
        to->memory[a] = own->sms ? (double)own->partitions / l->setup.partition_n : 1;
        if (own->sms) to->sms[a] = own->sms;
        if (set[of_app[a]].sms) to->sms[a] = set[of_app[a]].sms;
    }
}

/* Asks the policy whether the machine has a split, and for the SMs of each app, if the policy
 * names sets or instances. Returns the refusal; NULL: none. */
static const char *ask(struct lister *l, const char *spec, struct split *to)
{
    struct mechanisms policy;
    struct fail fail = {0};
    bool ok = mechanisms_parse(&policy, spec, &fail);
    check(ok);
    const struct mechanism *m = &policy.at[0];
    void *state = base_alloc(m->policy->state_bytes);
    u64 *counters = arena_array(&policy.arena, u64, m->stat_n);
    const char *why = m->policy->init ? m->policy->init(state, &l->setup, m->values, counters)
                                      : NULL;
    if (why) why = keep(l, why);
    else take_parts(l, m->policy, state, to);
    free(state);
    mechanisms_free(&policy);
    return why;
}

/* Adds a split, unless the policy refuses. `to` has the SMs or the shares. */
static void offer(struct lister *l, const char *spec, struct split *to)
{
    to->way = l->way;
    to->kind = rows[l->way].kind;
    const char *why = ask(l, spec, to);
    if (why) {
        if (!l->refused) l->refused = why;
        return;
    }
    for (u32 a = 0; a < l->to->app_n; a++)
        if (to->sms[a]) to->share[a] = to->sms[a];
    to->policy = keep(l, spec);
    *base_push(l->to->at, l->to->n, l->to->room) = *to;
    l->to->of[l->way].n++;
}

/* Offers a split with the numbers as the value of the way's option. */
static void offer_numbers(struct lister *l, const u32 *numbers, struct split *to)
{
    struct text spec = {0};
    text_add(&spec, "%s[%s=", rows[l->way].policy, rows[l->way].option);
    for (u32 a = 0; a < l->to->app_n; a++) text_add(&spec, "%s%u", a ? "/" : "", numbers[a]);
    text_add(&spec, "]");
    offer(l, spec.bytes, to);
    text_free(&spec);
}

/* ---- lists ---- */

static void list_sms(struct lister *l)
{
    for (u32 i = 0; i < l->sms->n; i++) {
        struct split to = {0};
        memcpy(to.sms, l->sms->at[i].number, sizeof to.sms);
        offer_numbers(l, to.sms, &to);
    }
}

/* Lists percentages: the smallest whole percentages of the splits in whole TPCs. */
static void list_percent(struct lister *l)
{
    u32 app_n = l->to->app_n;
    for (u32 i = 0; i < l->sms->n; i++) {
        struct split to = {0};
        u32 percent[APPS_MAX], last = app_n - 1;
        bool whole = true;
        for (u32 a = 0; a < app_n; a++) {
            u32 odd = l->sms->at[i].number[a] % TPC_SMS;
            to.sms[a] = l->sms->at[i].number[a] - (a == last ? odd : 0);
            whole &= to.sms[a] && (a == last || !odd);
            percent[a] = (100 * to.sms[a] + l->sm_n - 1) / l->sm_n;
        }
        if (whole) offer_numbers(l, percent, &to);
    }
    if (!l->refused) l->refused = "the GPU has too few TPCs of 2 SMs in these steps";
}

/* Offers a static partition, if the SMs of all apps but the last are a multiple of the step. */
static void offer_chunks(struct lister *l, const u32 *chunks, u32 chunk_sms)
{
    struct split to = {0};
    for (u32 a = 0; a + 1 < l->to->app_n; a++)
        if (chunks[a] * chunk_sms % l->step) return;
    offer_numbers(l, chunks, &to);
}

/* Lists the partitions of the most chunks that the policy grants. */
static void list_chunks(struct lister *l)
{
    u32 app_n = l->to->app_n;
    for (u32 all = l->sm_n; all >= app_n; all--) {
        struct mixes mixes = {.app_n = app_n};
        struct split to = {0};
        struct text spec = {0};
        text_add(&spec, "mps[static=%u", all - app_n + 1);
        for (u32 a = 1; a < app_n; a++) text_add(&spec, "/1");
        text_add(&spec, "]");
        l->refused = ask(l, spec.bytes, &to);
        text_free(&spec);
        if (l->refused) continue;
        mixes_add_splits(&mixes, all);
        for (u32 i = 0; i < mixes.n; i++)
            offer_chunks(l, mixes.at[i].number, to.sms[app_n - 1]);
        mixes_free(&mixes);
        return;
    }
}

static const char *const profiles[] = {"1g", "1g.quarter", "2g", "3g", "4g", "7g"};

/* Returns whether the machine has instances of the profiles at the same time. */
static bool profiles_fit(struct lister *l, const u32 *profile, u32 n, struct text *spec)
{
    struct split to = {0};
    *spec = (struct text){0};
    text_add(spec, "mig[profiles=");
    for (u32 i = 0; i < n; i++) text_add(spec, "%s%s", i ? "/" : "", profiles[profile[i]]);
    if (n < l->to->app_n) {
        for (u32 a = 0; a < l->to->app_n; a++) text_add(spec, a ? "/0" : ",apps=0");
    }
    text_add(spec, "]");
    return !ask(l, spec->bytes, &to);
}

/* Offers a list of profiles in which no app can have a greater profile. */
static void offer_profiles(struct lister *l, const u32 *profile)
{
    u32 n = l->to->app_n, more[APPS_MAX];
    struct text spec;
    bool fits = false;
    for (u32 a = 0; a < n && !fits; a++) {
        memcpy(more, profile, n * sizeof *more);
        for (more[a]++; more[a] < COUNT_OF(profiles) && !fits; more[a]++) {
            fits = profiles_fit(l, more, n, &spec);
            text_free(&spec);
        }
    }
    if (fits) return;
    struct split to = {0};
    profiles_fit(l, profile, n, &spec);
    offer(l, spec.bytes, &to);
    text_free(&spec);
}

static void add_profiles(struct lister *l, u32 *profile, u32 n)
{
    if (n == l->to->app_n) {
        offer_profiles(l, profile);
        return;
    }
    for (profile[n] = 0; profile[n] < COUNT_OF(profiles); profile[n]++) {
        struct text spec;
        bool fits = profiles_fit(l, profile, n + 1, &spec);
        text_free(&spec);
        if (fits) add_profiles(l, profile, n + 1);
    }
}

static void list_profiles(struct lister *l)
{
    struct split to = {0};
    u32 profile[APPS_MAX];
    l->refused = ask(l, "mig[profiles=auto]", &to);
    if (!l->refused) add_profiles(l, profile, 0);
}

/* Lists the tables of blocks as the oracle does. */
static void list_tables(struct lister *l)
{
    struct mixes mixes = {.app_n = l->to->app_n};
    mixes_add_tables(&mixes, &l->sim->gpu->machine.sm, l->whole);
    for (u32 i = 0; i < mixes.n; i++) {
        struct split to = {0};
        for (u32 a = 0; a < mixes.app_n; a++) {
            u32 blocks = mix_kernel(&l->whole[a])->fits.blocks_per_sm;
            to.share[a] = (double)l->sm_n * mixes.at[i].number[a] / max_u32(blocks, 1);
        }
        offer_numbers(l, mixes.at[i].number, &to);
    }
    mixes_free(&mixes);
    if (!l->refused) l->refused = "an SM has no room for a block of every app";
}

/* Lists the splits of all SMs in multiples of the step; the last app gets the rest. */
static struct mixes sm_splits(u32 app_n, u32 sm_n, u32 step)
{
    struct mixes m = {.app_n = app_n};
    mixes_add_splits(&m, (sm_n + step - 1) / step);
    for (u32 i = 0; i < m.n; i++) {
        u32 left = sm_n;
        for (u32 a = 0; a + 1 < app_n; a++) left -= m.at[i].number[a] *= step;
        m.at[i].number[app_n - 1] = left;
    }
    return m;
}

/* ---- all ---- */

static void list_way(struct lister *l, enum way way)
{
    struct text why = {0};
    l->way = way;
    l->refused = NULL;
    if (!l->sms->n && (rows[way].list == list_sms || rows[way].list == list_percent)) {
        text_add(&why, "%u SMs in steps of %u are too few for %u apps: give a smaller --step, or "
                 "fewer apps", l->sm_n, l->step, l->to->app_n);
        l->refused = keep(l, why.bytes);
    } else {
        rows[way].list(l);
    }
    if (!l->to->of[way].n) l->to->of[way].left_out = l->refused;
    text_free(&why);
}

bool ways_list(struct splits *s, const struct sim_setup *sim, u32 ways, u32 step,
               const struct alone *whole, struct fail *fail)
{
    u32 app_n = sim->app_n, sm_n = sim->gpu->machine.sm.count;
    struct mixes sms = sm_splits(app_n, sm_n, step);
    struct lister l = {.to = s, .sim = sim, .sm_n = sm_n, .step = step, .sms = &sms,
                       .whole = whole};
    struct gpu_setup gpu = {.machine = &sim->gpu->machine, .app_n = app_n};
    bool last = whole || !(ways & 1U << WAY_FIXED);
    s->app_n = app_n;
    ask_setup(&gpu, &l.setup);
    for (u32 w = 0; w < WAY_N && s->n <= MIXES_MOST; w++)
        if (ways & 1U << w && (w == WAY_FIXED) == (whole != NULL)) list_way(&l, w);
    mixes_free(&sms);
    if (s->n > MIXES_MOST) {
        fail_plain(fail, "more than %d splits of %u SMs among %u apps", MIXES_MOST, sm_n, app_n);
        fail_note(fail, "give a greater --step, as in --step %u, or fewer ways in --under",
                  2 * step);
        return false;
    }
    for (u32 w = 0; !s->n && last && w < WAY_N; w++)
        if (s->of[w].left_out) fail_plain(fail, "%s: %s", rows[w].label, s->of[w].left_out);
    return s->n || !last;
}
