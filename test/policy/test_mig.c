/* Worked examples of mig: SMs and memory of instances, places, and refused requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "corun/policy.h"
#include "run/input/mechanism.h"

extern const struct corun_policy corun_policy_mig;

static const struct corun_mig h100 = {16, 26, 32, 60, 64, 132, 0}, none;
static const struct corun_mig gb80 = {16, 26, 32, 60, 64, 132, 80};
static const struct corun_mig gb141 = {16, 26, 32, 60, 64, 132, 141};

static struct {
    uint64_t state[1024];
    struct corun_setup setup;
    struct corun_instance at[CORUN_APPS_MAX];
    uint32_t of[CORUN_APPS_MAX];
    char why[400];
} t;

/* Returns the reason of a refusal by a machine of 132 SMs, 80 partitions and 20 lines per set;
 * NULL: the instances are in t. */
static const char *divide(const struct corun_mig *mig, uint32_t app_n, const char *spec)
{
    struct mechanisms m;
    struct fail fail = {0};
    memset(&t, 0, sizeof t);
    assert_true(sizeof t.state >= corun_policy_mig.state_bytes);
    t.setup = (struct corun_setup){.sm_n = 132, .partition_n = 80, .l2_ways = 20, .app_n = app_n,
                                   .mig = *mig};
    assert_true(mechanisms_parse(&m, spec, &fail));
    const char *why = corun_policy_mig.init(t.state, &t.setup, m.at[0].values, NULL);
    if (why) strcpy(t.why, why);
    else corun_policy_mig.instances(t.state, &t.setup, t.at, t.of);
    mechanisms_free(&m);
    return why ? t.why : NULL;
}

static void is(uint32_t instance, uint32_t sms, uint32_t partitions, uint32_t l2_ways)
{
    assert_int_equal(t.at[instance].sms, sms);
    assert_int_equal(t.at[instance].partitions, partitions);
    assert_int_equal(t.at[instance].l2_ways, l2_ways);
}

static void profiles_have_sms_and_memory(void **state)
{
    (void)state;
    assert_null(divide(&h100, 2, "mig[profiles=3g/4g]"));
    is(0, 60, 40, 0);
    is(1, 64, 40, 0);
    is(2, 0, 0, 0);
    assert_int_equal(t.of[1], 1);
    assert_null(divide(&h100, 3, "mig[profiles=1g.quarter/2g/1g,apps=2/0/0]"));
    is(0, 26, 20, 10);
    is(1, 32, 20, 0);
    is(2, 16, 10, 0);
    assert_int_equal(t.of[0], 2);
    assert_int_equal(t.of[2], 0);
}

static void long_names_have_the_memory(void **state)
{
    (void)state;
    assert_null(divide(&gb80, 2, "mig[profiles=3g.40gb/MIG 4g.40gb]"));
    is(0, 60, 40, 0);
    is(1, 64, 40, 0);
    assert_null(divide(&gb80, 3, "mig[profiles=1g.20gb/2g.20gb/1g.10gb]"));
    is(0, 26, 20, 10);
    is(1, 32, 20, 0);
    is(2, 16, 10, 0);
    assert_null(divide(&gb141, 4, "mig[profiles=1g.18gb/1g.35gb/3g.71gb/MIG 1g]"));
    is(1, 26, 20, 10);
    is(2, 60, 40, 0);
    assert_null(divide(&gb141, 1, "mig[profiles=7g.141gb]"));
    assert_string_equal(divide(&gb80, 2, "mig[profiles=3g.20gb/4g]"),
                        "the machine has no profile '3g.20gb'; it has 1g.10gb (16 SMs, 1/8 of "
                        "memory), 1g.20gb (26 SMs, 2/8 of memory), 2g.20gb (32 SMs, 2/8 of "
                        "memory), 3g.40gb (60 SMs, 4/8 of memory), 4g.40gb (64 SMs, 4/8 of "
                        "memory), 7g.80gb (132 SMs, 8/8 of memory)");
    assert_string_equal(divide(&gb80, 2, "mig[profiles=1g.10gb+me/3g]"),
                        "profile '1g.10gb+me': corun models no extensions of profiles, as +me "
                        "(media engines) or +gfx; give '1g.10gb'");
    assert_string_equal(divide(&gb80, 2, "mig[profiles=4g.40gb/4g]"),
                        "no place for instance 1: 4g.40gb takes 4 of 7 slices of SMs and 4 of 8 of "
                        "memory; 3 and 4 are left after the larger instances");
    assert_non_null(divide(&h100, 1, "mig[profiles=3g.0gb]")); /* names have no memory */
    assert_non_null(divide(&gb80, 1, "mig[profiles=3g/]"));
    assert_string_equal(divide(&h100, 8, "mig[profiles=1g/1g/1g/1g/1g/1g/1g/1g]"),
                        "a GPU has at most 7 instances");
}

static void auto_is_the_largest(void **state)
{
    (void)state;
    const uint32_t sms[] = {0, 132, 60, 32, 16, 16, 16, 16};
    for (uint32_t n = 1; n < CORUN_APPS_MAX; n++) {
        assert_null(divide(&h100, n, "mig"));
        for (uint32_t a = 0; a < n; a++) assert_int_equal(t.at[t.of[a]].sms, sms[n]);
    }
    assert_string_equal(divide(&h100, 8, "mig"), "the machine has no profile for 8 instances");
    assert_null(divide(&h100, 3, "mig[apps=0/0/1]"));
    is(1, 60, 40, 0);
}

/* Mixes that fit an H100, and mixes that do not; the order of the list is no matter. */
static void instances_have_places(void **state)
{
    (void)state;
    const char *good[] = {"3g/3g", "4g/3g", "3g/4g", "1g/2g/4g", "1g/1g/1g/4g", "2g/2g/2g/1g",
                          "1g/1g/1g/1g/1g/1g/1g", "1g.quarter/1g.quarter/1g.quarter/1g.quarter",
                          "7g", "1g/3g/2g", "3g/2g/1g.quarter"};
    const char *bad[] = {"4g/4g", "7g/1g", "2g/2g/2g/2g", "3g/3g/1g", "4g/2g/2g",
                         "4g/1g.quarter/1g.quarter/1g.quarter"};
    char spec[200];
    for (uint32_t k = 0; k < sizeof good / sizeof *good; k++) {
        snprintf(spec, sizeof spec, "mig[profiles=%s]", good[k]);
        assert_null(divide(&h100, 1, spec));
    }
    for (uint32_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        snprintf(spec, sizeof spec, "mig[profiles=%s]", bad[k]);
        assert_non_null(divide(&h100, 1, spec));
        assert_non_null(strstr(t.why, "no place for instance"));
    }
    assert_string_equal(divide(&h100, 2, "mig[profiles=4g/4g]"),
                        "no place for instance 1: 4g takes 4 of 7 slices of SMs and 4 of 8 of "
                        "memory; 3 and 4 are left after the larger instances");
    assert_non_null(divide(&h100, 2, "mig[profiles=1g/7g]"));
    assert_non_null(strstr(t.why, "no place for instance 0: 1g takes 1 of 7"));
}

static void other_requests_are_refused(void **state)
{
    (void)state;
    const struct corun_mig few = {.sms_1g = 14, .sms_3g = 42};
    assert_string_equal(divide(&none, 1, "mig"),
                        "the machine has no MIG: a100, h100 and h200 have, or give profiles by "
                        "the options of section mig");
    assert_string_equal(divide(&few, 2, "mig[profiles=3g/4g]"),
                        "the machine has no profile '4g'; it has 1g (14 SMs, 1/8 of memory), "
                        "3g (42 SMs, 4/8 of memory)");
    assert_string_equal(divide(&h100, 2, "mig[profiles=3g]"),
                        "app 2 has no instance: profiles names 1");
    assert_string_equal(divide(&h100, 2, "mig[profiles=3g/4g,apps=5/0]"),
                        "app 1 has no instance: profiles names 2");
    assert_string_equal(divide(&h100, 2, "mig[profiles=3g/4g,apps=1/2]"),
                        "app 2 has no instance: profiles names 2");
    assert_string_equal(divide(&few, 1, "mig[profiles=+me]"),
                        "the machine has no profile '+me'; it has 1g (14 SMs, 1/8 of memory), "
                        "3g (42 SMs, 4/8 of memory)");
    assert_string_equal(divide(&h100, 2, "mig[profiles=Auto]"),
                        "the machine has no profile 'Auto', did you mean 'auto'?");
    assert_string_equal(divide(&gb80, 2, "mig[profiles=3g/MIG 4G.40GB]"),
                        "the machine has no profile '4G.40GB', did you mean '4g.40gb'?");
    assert_string_equal(divide(&h100, 2, "mig[profiles=3g/4g,apps=0]"),
                        "apps names 1 apps, the run has 2: an instance for each");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_have_sms_and_memory),
        cmocka_unit_test(long_names_have_the_memory),
        cmocka_unit_test(auto_is_the_largest),
        cmocka_unit_test(instances_have_places),
        cmocka_unit_test(other_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
