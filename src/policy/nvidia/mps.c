/* mps: apps as clients of NVIDIA's Multi-Process Service. A percentage limits the number of SMs of
 * a client and reserves none; static partitions are sets of SMs of the client alone. Memory, L2 and
 * crossbar are shared. NVIDIA, Multi-Process Service, r620. */
#include "partition.h"

struct mps {
    struct partition sms;
    uint32_t sm_n, app_n;
    bool fixed;                      /* static partitions */
    uint32_t limit[CORUN_APPS_MAX];  /* SMs of each client */
    char why[200];
};

enum option { PERCENT, STATIC, APPS, INSIDE };
static const struct corun_option options[] = {
    [PERCENT] =
        {"percent", CORUN_LIST, "100", 1, 100, NULL, "%",
         "Active thread percentage: a number for all apps, or one per app. A client below 100 uses "
         "at most 2 x floor(percent x SMs / 200) SMs, at least 2. "
         "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE of a CUDA program lowers the percentage."},
    [STATIC] =
        {"static", CORUN_WHOLES, "off", 1, 256, "off", "chunks",
         "Static partitions: chunks of each, as in 8/8, instead of percentages and "
         "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE. The SMs of a partition are never lent."},
    [APPS] =
        {"apps", CORUN_WHOLES, "each", 0, 7, "each", "",
         "Static partition of each app, from 0, as in 0/0/1; each: a partition for each app, in "
         "order."},
    [INSIDE] = PARTITION_INSIDE("static partition"),
    {0},
};

/* Returns the SMs of a client. Model: whole TPCs of 2 SMs, rounded down (measured: 50 % of 82 SMs
 * is 40, of 170 is 84); at least one TPC, and all SMs at 100 % (guess). */
static uint32_t limit_of(double percent, uint32_t sm_n)
{
    if (percent >= 100) return sm_n;
    uint32_t sms = 2 * (uint32_t)(percent * sm_n / 200);
    return corun_least(sms > 2 ? sms : 2, sm_n);
}

static const char *limits_set(struct mps *m, const struct corun_setup *setup,
                              const struct corun_value *percent)
{
    if (percent->list_n != 1 && percent->list_n != m->app_n) {
        snprintf(m->why, sizeof m->why, "percent has %u numbers, the run has %u apps: give a "
                 "number for all, or a number for each", percent->list_n, m->app_n);
        return m->why;
    }
    for (uint32_t app = 0; app < m->app_n; app++) {
        double of = percent->list[percent->list_n == 1 ? 0 : app], own = setup->mps_percent[app];
        m->limit[app] = limit_of(own > 0 && own < of ? own : of, m->sm_n);
    }
    return NULL;
}

/* Model: chunks of 8 SMs from compute capability 9.0 on, of 4 before; how many of a machine's SMs
 * make chunks is not published (mps.chunks). The first app has the first chunks (guess). */
static const char *chunks_set(struct mps *m, const struct corun_setup *setup,
                              const struct corun_value *chunks, const struct corun_value *apps)
{
    uint32_t size = setup->capability >= 90 ? 8 : 4, most = m->sm_n / size, used = 0;
    uint32_t all = setup->mps_chunks ? corun_least(setup->mps_chunks, most) : most;
    if (setup->capability < 80)
        return "static partitions need compute capability 8.0; the machine's host.capability is "
               "lower";
    const char *why = partition_apps(&m->sms, setup, apps, chunks->list_n, "static",
                                     "partition", "a number of chunks");
    for (uint32_t i = 0; i < chunks->list_n && !why; i++) {
        uint32_t n = (uint32_t)chunks->list[i];
        if (n > all - used) {
            snprintf(m->why, sizeof m->why, "%s %u asks for %u chunks of %u SMs, %u of the "
                     "machine's %u chunks are left", apps->word ? "app" : "partition",
                     i + (apps->word != NULL), n, size, all - used, all);
            return m->why;
        }
        m->sms.set[i] = (struct corun_sm_set){used * size, n * size};
        used += n;
    }
    if (!why) partition_give_sets(&m->sms, setup);
    return why;
}

static const char *mps_init(void *state, const struct corun_setup *setup,
                            const struct corun_value *values, uint64_t *stats)
{
    struct mps *m = state;
    const struct corun_value *percent = &values[PERCENT];
    (void)stats;
    m->sm_n = setup->sm_n;
    m->app_n = setup->app_n;
    m->fixed = !values[STATIC].word;
    if (!m->fixed && (!values[APPS].word || values[INSIDE].word))
        return "apps and inside need static partitions: give static";
    if (!m->fixed) return limits_set(m, setup, percent);
    if (percent->list_n != 1 || percent->list[0] < 100)
        return "percent has no effect beside static partitions: give percent or static";
    return chunks_set(m, setup, &values[STATIC], &values[APPS]);
}

/* Chooses the client's SMs: those in the sets of the fewest other clients, the lowest first. */
static void client_place(struct mps *m, uint32_t app)
{
    for (uint32_t n = 0; n < m->limit[app]; n++) {
        uint32_t best = 0, least = UINT32_MAX;
        for (uint32_t sm = 0; sm < m->sm_n; sm++) {
            uint32_t others = 0;
            for (uint32_t a = 0; a < m->app_n; a++) others += a != app && m->sms.may[a][sm];
            if (m->sms.may[app][sm] || others >= least) continue;
            best = sm;
            least = others;
        }
        m->sms.may[app][best] = true;
    }
}

/* Model: a client keeps the SMs as long as blocks of the client are resident; the next launch may
 * get other SMs, those in the sets of the fewest other clients (guess). */
static void clients_place(struct mps *m, const struct corun_view *view)
{
    bool resident[CORUN_APPS_MAX] = {false}, placed[CORUN_APPS_MAX] = {false};
    for (uint32_t k = 0; k < view->kernel_n; k++)
        if (view->kernels[k].running_blocks) resident[view->kernels[k].app_id] = true;
    for (uint32_t app = 0; app < m->app_n; app++)
        if (!resident[app]) memset(m->sms.may[app], 0, sizeof m->sms.may[app]);
    for (uint32_t k = 0; k < view->kernel_n; k++) {
        uint32_t app = view->kernels[k].app_id;
        if (resident[app] || placed[app]) continue;
        client_place(m, app);
        placed[app] = true;
    }
}

static void mps_sets(void *state, const struct corun_setup *setup,
                     struct corun_sm_set set[CORUN_APPS_MAX], uint32_t *of_app)
{
    const struct mps *m = state;
    partition_sets(&m->sms, setup, set, of_app);
}

static void mps_admit(void *state, const struct corun_view *view, bool *admit)
{
    struct mps *m = state;
    if (!m->fixed) clients_place(m, view);
    partition_admit(&m->sms, view, admit);
}

static void mps_share(void *state, const struct corun_view *view, uint32_t *target)
{
    const struct mps *m = state;
    partition_share(&m->sms, view, target);
}

static uint32_t mps_traits(const struct corun_value *values)
{
    bool whole = values[STATIC].word && values[PERCENT].list_n == 1 &&
                 values[PERCENT].list[0] >= 100;
    return CORUN_QUEUE | (whole ? 0 : CORUN_TABLE);
}

const struct corun_policy corun_policy_mps = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "mps",
    .sentence = "As clients of NVIDIA's MPS: at most a percentage of the SMs each, or static "
                "partitions of SMs.",
    .source = "NVIDIA, Multi-Process Service, r620",
    .options = options,
    .state_bytes = sizeof(struct mps),
    .init = mps_init,
    .sets = mps_sets,
    .admit = mps_admit,
    .share = mps_share,
    .traits = mps_traits,
};
