/* C++ names as mangled by the compiler, and back; a list of warnings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "base/demangle.h"
#include "base/rand.h"
#include "base/warning.h"

static const struct {
    const char *mangled, *written; /* written NULL: not demangled, but the name `ok` is found */
} names[] = {
    {"_Z2okPi", "ok(int*)"},
    {"_Z2okv", "ok()"},
    {"_Z2okIfEvPT_i", "ok<float>(float*, int)"},
    {"_ZN2ns2okIfEEvPT_i", "ns::ok<float>(float*, int)"},
    {"_ZN1a1b2okEfdxy", "a::b::ok(float, double, long long, unsigned long long)"},
    {"_Z2okIcLi16ELb1ELj5EEvPT_", "ok<char, 16, true, 5>(char*)"},
    {"_Z2okIjLin3ELb0ELj7EEvPT_", "ok<unsigned int, -3, false, 7>(unsigned int*)"},
    {"_Z2okIJifPKcEEvDpT_", "ok<int, float, const char*>(int, float, const char*)"},
    {"_Z2okIJEEvDpT_", "ok<>()"},
    {"_Z2okIJZ4mainEUliE_EEvDpT_", "ok<main::{lambda(int)#1}>(main::{lambda(int)#1})"},
    {"_ZN2ns2okEPKfNS_1SIiLi3EEEPy6float4PA4_KiPFviE",
     "ns::ok(const float*, ns::S<int, 3>, unsigned long long*, float4, const int (*)[4], "
     "void (*)(int))"},
    {"_ZN2ns2okIPNS_1SIdLin2EEEEEvPT_i", "ns::ok<ns::S<double, -2>*>(ns::S<double, -2>**, int)"},
    {"_ZN37_GLOBAL__N__fe77eb49_5_gs_cu_2d57f8422okEPi", "(anonymous namespace)::ok(int*)"},
    {"_Z2okRKSt4pairIiS_IffEEOS0_",
     "ok(const std::pair<int, std::pair<float, float> >&, std::pair<float, float>&&)"},
    {"_ZL2okPi", "ok(int*)"},
    {"_Z2okIdLi8ELi4EEvR1SIT_XT1_EXT0_EE", "ok<double, 8, 4>(S<double, 4, 8>&)"},
    {"_Z2okPVKiPrPf", "ok(const volatile int*, float* __restrict__*)"},
    {"_Z2okIXplLi1ELi2EEEvi", NULL},
    {"_ZN1n2okIXplLi1ELi2EEEEvi", NULL},
    {"ok", ""},
    {"_Z", ""},
    {"_Z9ok", ""},
    {"_Z2okS_", NULL},
    {"_Z2okT_", NULL},
};

static void test_names(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        struct cxx_name n;
        struct text t = {0};
        bool ok = demangle(names[i].mangled, &arena, &n);
        const char *want = names[i].written ? names[i].written : "ok";
        text_add(&t, "%s%s%s%s", n.scope, n.name, n.template, n.params);
        char squeezed[256] = "", *to = squeezed; /* '> >' and '>>' are equal */
        for (const char *p = want; *p; p++)
            if (strncmp(p, " >", 2)) *to++ = *p;
        *to = 0;
        if (strcmp(text_get(&t), squeezed)) fail_msg("%s: %s", names[i].mangled, text_get(&t));
        assert_int_equal(ok, names[i].written && *names[i].written);
        text_free(&t);
    }
    arena_free(&arena);
}

/* Terminates quickly for random letters. */
static void test_garbage(void **state)
{
    (void)state;
    static const char letters[] = "NZILESTP_0123ijfKRJDpAFvUlX";
    for (u32 i = 0; i < 20000; i++) {
        struct arena arena;
        struct cxx_name n;
        char name[64] = "_Z";
        arena_init(&arena);
        u32 size = 3 + rand_word(1, i) % 60;
        for (u32 k = 2; k < size; k++)
            name[k] = letters[rand_word(2 + i, k) % (sizeof letters - 1)];
        demangle(name, &arena, &n);
        arena_free(&arena);
    }
}

static void test_warnings(void **state)
{
    (void)state;
    struct warnings w = {0}, all = {0};
    struct text t = {0};
    char sentence[] = "odd";
    warning_add(NULL, "a.ptx", 1, "nobody listens");
    warning_add(&w, "a.ptx", 3, sentence);
    sentence[0] = 'O'; /* the list has a copy */
    warning_add(&w, "a.ptx", 2, "odd");
    warning_add(&w, "a.ptx", 3, "odd");
    warning_add(&w, "b.ptx", 3, "odd");
    assert_int_equal(w.n, 3);
    warnings_merge(&all, &w);
    warnings_merge(&all, &w);
    warnings_show(&all, &t);
    assert_string_equal(text_get(&t), "warning: a.ptx:3: odd (4 times)\n"
                                      "warning: a.ptx:2: odd (2 times)\n"
                                      "warning: b.ptx:3: odd (2 times)\n");
    for (u32 i = 0; i < 2 * WARNINGS_MAX; i++) warning_add(&w, "c.ptx", i, "many");
    assert_int_equal(w.n, WARNINGS_MAX);
    text_free(&t);
    warnings_free(&w);
    warnings_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_garbage),
                                       cmocka_unit_test(test_warnings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
