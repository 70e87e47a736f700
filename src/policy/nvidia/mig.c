/* mig: apps in MIG instances, which share neither SMs, L2 nor DRAM. An instance has slices of SMs
 * and of memory, as the profile says. Inside an instance launches are shared left-over. NVIDIA, MIG
 * user guide; nvidia-smi mig -lgip. */
#include "partition.h"

#include <stdio.h>

enum { COMPUTE_SLICES = 7, MEMORY_SLICES = 8 };

/* A profile: memory slices of 8, slices of SMs of 7, and L2 as a fraction of the memory slices'.
 * NVIDIA, MIG user guide, profiles of A100, H100 and H200; how many SMs a profile has is an option
 * of the machine (section mig). */
struct profile {
    const char *name;
    uint32_t memory, compute, l2_of;
};
enum { AUTO, P1G, P1G_QUARTER, P2G, P3G, P4G, P7G, PROFILE_N };
static const struct profile profiles[PROFILE_N] = {
    [P1G] = {"1g", 1, 1, 1}, [P1G_QUARTER] = {"1g.quarter", 2, 1, 2}, [P2G] = {"2g", 2, 2, 1},
    [P3G] = {"3g", 4, 3, 1}, [P4G] = {"4g", 4, 4, 1},                 [P7G] = {"7g", 8, 7, 1},
};

struct mig {
    struct partition sms;
    uint32_t n;
    uint32_t given_n, given[CORUN_APPS_MAX]; /* profiles of the option; none: auto */
    struct corun_instance instance[CORUN_APPS_MAX];
    uint32_t of_app[CORUN_APPS_MAX];
    char why[400];
};

enum option { OPTION_PROFILES, OPTION_APPS, OPTION_INSIDE };
static const struct corun_option options[] = {
    [OPTION_PROFILES] =
        {"profiles", CORUN_TEXT, "auto", 0, 0, "auto, or profiles A/B/...", "",
         "Profile of each instance, as in 3g/4g or 3g.40gb/4g.40gb, of the profiles that the "
         "machine has (section mig). 1g.quarter: 1g with a quarter of the memory, as 1g.20gb of "
         "80 GB. auto: the largest profile that the machine has once for each app."},
    [OPTION_APPS] =
        {"apps", CORUN_WHOLES, "each", 0, 6, "each", "",
         "Instance of each app, as in 0/0/1; each: an instance for each app, in order."},
    [OPTION_INSIDE] =
        {"inside", CORUN_INSIDE, "none", 0, 0, NULL, "",
         "Policy that shares each instance among its apps, with options in brackets, as in "
         "spatial[split=1/2]; none: left-over."},
    {0},
};

static uint32_t sms_of(const struct corun_mig *m, uint32_t profile)
{
    const uint32_t sms[PROFILE_N] = {[P1G] = m->sms_1g, [P1G_QUARTER] = m->sms_1g_quarter,
                                     [P2G] = m->sms_2g, [P3G] = m->sms_3g, [P4G] = m->sms_4g,
                                     [P7G] = m->sms_7g};
    return sms[profile];
}

/* Writes NVIDIA's name of the profile: slices of SMs, and memory in GB, rounded (1/8 of 141 is
 * 18). */
static const char *name_of(const struct corun_mig *m, uint32_t profile, char to[24])
{
    const struct profile *p = &profiles[profile];
    uint32_t gb = (m->name_gb * p->memory + MEMORY_SLICES / 2) / MEMORY_SLICES;
    if (m->name_gb) snprintf(to, 24, "%ug.%ugb", p->compute, gb);
    else snprintf(to, 24, "%s", p->name);
    return to;
}

static void profiles_show(const struct corun_mig *m, char *to, size_t room)
{
    int n = 0;
    char name[24];
    for (uint32_t k = P1G; k < PROFILE_N; k++)
        if (sms_of(m, k))
            n += snprintf(to + n, room - (size_t)n, "%s%s (%u SMs, %u/8 of memory)", n ? ", " : "",
                          name_of(m, k, name), sms_of(m, k), profiles[k].memory);
}

static const char *no_mig(struct mig *g)
{
    snprintf(g->why, sizeof g->why, "the machine has no MIG: a100, h100 and h200 have, or give "
             "profiles by the options of section mig");
    return g->why;
}

/* Reads the name of a profile: 3g, 3g.40gb or MIG 3g.40gb. AUTO: the machine has none of the
 * name. */
static uint32_t profile_of(const struct corun_mig *m, const char *name)
{
    char full[24];
    uint32_t k = PROFILE_N - 1;
    if (!strncmp(name, "MIG ", 4)) name += 4;
    while (k > AUTO && (!sms_of(m, k) || (strcmp(name, profiles[k].name) != 0 &&
                                          strcmp(name, name_of(m, k, full)) != 0)))
        k--;
    return k;
}

/* Copies a name in lower case. */
static void lower(const char *name, char *to, size_t room)
{
    size_t n = 0;
    for (; name[n] && n + 1 < room; n++)
        to[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] - 'A' + 'a' : name[n]);
    to[n] = 0;
}

static const char *no_profile(struct mig *g, const struct corun_mig *m, const char *name)
{
    char small[48];
    if (!strncmp(name, "MIG ", 4)) name += 4;
    lower(name, small, sizeof small);
    bool word = !strcmp(small, "auto") && strcmp(name, small) != 0;
    if (word || profile_of(m, small) != AUTO) {
        snprintf(g->why, sizeof g->why, "the machine has no profile '%.40s', did you mean "
                 "'%.40s'?", name, small);
        return g->why;
    }
    int n = snprintf(g->why, sizeof g->why, "the machine has no profile '%.40s'; it has ", name);
    profiles_show(m, g->why + n, sizeof g->why - (size_t)n);
    return g->why;
}

/* Reads the option `profiles`. */
static const char *given_read(struct mig *g, const struct corun_mig *m, const char *text)
{
    if (!strcmp(text, "auto")) return NULL;
    for (const char *at = text;; at++) {
        char name[48];
        size_t n = strcspn(at, "/"), plus = strcspn(at, "+/");
        snprintf(name, sizeof name, "%.*s", (int)corun_least((uint32_t)n, 47), at);
        if (plus && plus < n) {
            snprintf(g->why, sizeof g->why, "profile '%s': corun models no extensions of profiles, "
                     "as +me (media engines) or +gfx; give '%.*s'", name, (int)plus, name);
            return g->why;
        }
        uint32_t k = profile_of(m, name);
        if (k == AUTO) return no_profile(g, m, name);
        if (g->given_n == COMPUTE_SLICES) return "a GPU has at most 7 instances";
        g->given[g->given_n++] = k;
        at += n;
        if (!*at) return NULL;
    }
}

/* Gives the instances their slices, the largest first, as NVIDIA recommends. Model: instances fit
 * if their slices do; the places that MIG allows in memory leave no gap then (derived from the
 * placements of nvidia-smi mig -lgipp: each profile begins at multiples of its size, 4g at 0). */
static const char *instances_place(struct mig *g, const struct corun_mig *m,
                                   const uint32_t *profile)
{
    uint32_t memory = MEMORY_SLICES, compute = COMPUTE_SLICES;
    char name[24];
    for (uint32_t p = PROFILE_N - 1; p >= P1G; p--) {
        const struct profile *of = &profiles[p];
        for (uint32_t i = 0; i < g->n; i++) {
            if (profile[i] != p) continue;
            if (of->compute > compute || of->memory > memory) {
                snprintf(g->why, sizeof g->why, "no place for instance %u: %s takes %u of 7 slices "
                         "of SMs and %u of 8 of memory; %u and %u are left after the larger "
                         "instances", i, name_of(m, p, name), of->compute, of->memory, compute,
                         memory);
                return g->why;
            }
            compute -= of->compute;
            memory -= of->memory;
        }
    }
    return NULL;
}

/* Returns the largest profile of which the machine can have n instances; AUTO: none. */
static uint32_t profile_auto(struct mig *g, const struct corun_mig *m)
{
    uint32_t profile[16], p = P7G;
    for (; p > AUTO; p--) {
        for (uint32_t i = 0; i < g->n; i++) profile[i] = p;
        if (p != P1G_QUARTER && sms_of(m, p) && !instances_place(g, m, profile)) break;
    }
    return p;
}

/* Reads which instance each app has, and the number of instances if `profiles` is auto. */
static const char *apps_read(struct mig *g, const struct corun_setup *setup,
                             const struct corun_value *apps)
{
    uint32_t most = 0;
    if (!apps->word && apps->list_n != setup->app_n) {
        snprintf(g->why, sizeof g->why, "apps names %u apps, the run has %u: an instance for each",
                 apps->list_n, setup->app_n);
        return g->why;
    }
    for (uint32_t a = 0; a < setup->app_n; a++) {
        g->of_app[a] = apps->word ? a : (uint32_t)apps->list[a];
        if (g->of_app[a] > most) most = g->of_app[a];
    }
    g->n = g->given_n ? g->given_n : most + 1;
    if (most < g->n) return NULL;
    uint32_t wrong = 0;
    while (g->of_app[wrong] < g->n) wrong++;
    snprintf(g->why, sizeof g->why, "app %u has no instance: profiles names %u", wrong + 1,
             g->given_n);
    return g->why;
}

static const char *divide(struct mig *g, const struct corun_setup *setup,
                          const struct corun_value *values)
{
    const struct corun_mig *m = &setup->mig;
    uint32_t profile[16], some = 0;
    for (uint32_t k = P1G; k < PROFILE_N; k++) some |= sms_of(m, k);
    if (!some) return no_mig(g);
    const char *why = given_read(g, m, values[OPTION_PROFILES].word);
    if (!why) why = apps_read(g, setup, &values[OPTION_APPS]);
    if (why) return why;
    uint32_t all = g->given_n ? AUTO : profile_auto(g, m);
    if (!g->given_n && all == AUTO) {
        snprintf(g->why, sizeof g->why, "the machine has no profile for %u instances", g->n);
        return g->why;
    }
    for (uint32_t i = 0; i < g->n; i++)
        profile[i] = g->given_n ? g->given[i] : all;
    why = instances_place(g, m, profile);
    if (why) return why;
    for (uint32_t i = 0; i < g->n; i++) {
        const struct profile *p = &profiles[profile[i]];
        g->instance[i] = (struct corun_instance){
            .sms = sms_of(m, profile[i]),
            .partitions = setup->partition_n * p->memory / MEMORY_SLICES,
            .l2_ways = p->l2_of > 1 ? setup->l2_ways / p->l2_of : 0};
    }
    if (setup->partition_n % MEMORY_SLICES)
        return "MIG divides memory in eighths: give a map.channels divisible by 8";
    return NULL;
}

static const char *mig_init(void *state, const struct corun_setup *setup,
                            const struct corun_value *values, uint64_t *stats)
{
    struct mig *g = state;
    (void)stats;
    if (!setup->instance) return divide(g, setup, values);
    for (uint32_t app = 0; app < setup->app_n; app++) partition_give(&g->sms, app, 0, setup->sm_n);
    return NULL;
}

static void mig_instances(void *state, const struct corun_setup *setup,
                          struct corun_instance instance[CORUN_APPS_MAX], uint32_t *of_app)
{
    const struct mig *g = state;
    memcpy(instance, g->instance, g->n * sizeof *instance);
    memcpy(of_app, g->of_app, setup->app_n * sizeof *of_app);
}

static void mig_admit(void *state, const struct corun_view *view, bool *admit)
{
    const struct mig *g = state;
    partition_admit(&g->sms, view, admit);
}

static void mig_share(void *state, const struct corun_view *view, uint32_t *target)
{
    const struct mig *g = state;
    partition_share(&g->sms, view, target);
}

static uint32_t mig_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_QUEUE | CORUN_TABLE;
}

const struct corun_policy corun_policy_mig = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "mig",
    .sentence = "As MIG instances: SMs, L2 and DRAM of its own for each app or group of apps.",
    .source = "NVIDIA, Multi-Instance GPU user guide",
    .options = options,
    .state_bytes = sizeof(struct mig),
    .init = mig_init,
    .instances = mig_instances,
    .admit = mig_admit,
    .share = mig_share,
    .traits = mig_traits,
};
