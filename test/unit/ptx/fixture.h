/* Fixture for tests of ptx/: takes text, gives a module or errors. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "ptx/ptx.h"

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n" /* lines 1 to 3 */
/* kernel head in line 4 and registers in line 5; the test's own text begins in line 6 */
#define KERNEL                                                 \
    HEAD ".visible .entry k(.param .u64 p, .param .u32 n) {\n" \
         ".reg .pred %p<4>; .reg .b16 %h<6>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<5>;\n"

struct fixture {
    struct source source;
    struct arena arena;
    struct fail fail;
    struct module *m;
};

static inline void fixture_parse(struct fixture *f, const char *text, size_t size)
{
    *f = (struct fixture){.source = {"t.ptx", text, size}};
    arena_init(&f->arena);
    f->m = ptx_parse(&f->source, &f->arena, &f->fail);
}

static inline void fixture_free(struct fixture *f)
{
    fail_free(&f->fail);
    arena_free(&f->arena);
}

/* Parses text that must be valid. */
static inline void fixture_good(struct fixture *f, const char *text)
{
    fixture_parse(f, text, strlen(text));
    if (!f->m) print_error("%s", text_get(&f->fail.text));
    assert_non_null(f->m);
}

static inline struct program *fixture_lower(struct fixture *f, const char *kernel)
{
    u32 k = ptx_kernel_find(f->m, kernel);
    assert_int_not_equal(k, UINT32_MAX);
    struct program *p = ptx_lower(f->m, k, &f->arena, &f->fail);
    if (!p) print_error("%s", text_get(&f->fail.text));
    return p;
}

/* Wraps a body in KERNEL; returns the program of kernel k. */
static inline struct program *fixture_kernel(struct fixture *f, char *buffer, size_t room,
                                             const char *body)
{
    snprintf(buffer, room, "%s%s\n}\n", KERNEL, body);
    fixture_good(f, buffer);
    struct program *p = fixture_lower(f, "k");
    assert_non_null(p);
    return p;
}

/* Reads a whole file; freed by the caller. */
static inline char *fixture_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    char *text = NULL;
    size_t room = 0;
    *size = 0;
    do {
        room += 1 << 16;
        text = realloc(text, room);
        *size += fread(text + *size, 1, room - *size, file);
    } while (*size == room);
    fclose(file);
    return text;
}

#endif
