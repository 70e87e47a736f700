/* Textures, beyond the vectors of test/op: handles that differ between lanes, separate samplers,
 * references, idempotent blocks, and effects reported to timing. */
#include "run_block.h"

#include "mem/textures.h"

static const struct array_shape row = {.texel = {TEXEL_U32, 1}, .width = 40};

/* Makes an array with texel values `first` plus index; returns the handle of a texture or surface
 * of the array. */
static u64 make(struct rig *r, u32 first, u8 kind)
{
    const struct array *a = array_new(&r->image, &row, "array");
    u64 address = a->address;
    for (u32 k = 0; k < row.width; k++) {
        u32 word = first + k;
        image_write(&r->image, address + array_offset(&row, 0, 4 * k, 0, 0), &word, 4);
    }
    struct texture t = {.kind = kind, .texel = row.texel, .width = row.width, .address = address,
                        .shape = row, .sampler.address = {ADDRESS_CLAMP}};
    return texture_new(&r->image, &t);
}

static void start(struct rig *r, const char *module, const char *body)
{
    static char text[4096];
    snprintf(text, sizeof text, "%s%s%s%s\n%s", HEAD, module, KERNEL, body, END);
    rig_init(r, text, 1);
}

#define PLACE "cvt.rn.f32.u32 %f1, %r0;\n"

static void test_lanes_have_their_own(void **state)
{
    (void)state;
    struct rig r;
    start(&r, "", PLACE "and.b32 %r2, %r0, 1; add.u32 %r2, %r2, 1; cvt.u64.u32 %d5, %r2;\n"
                  "tex.1d.v4.u32.f32 {%r4, _, _, %r5}, [%d5, {%f1}];\n" STORE_U32("%r4"));
    assert_int_equal(make(&r, 1000, TEXTURE_ARRAY), 1);
    assert_int_equal(make(&r, 5000, TEXTURE_ARRAY), 2);
    assert_null(rig_run(&r, 32));
    for (u32 l = 0; l < 32; l++) assert_int_equal(rig_u32(&r, l), (l & 1 ? 5000 : 1000) + l);
    rig_free(&r);
}

static void test_lanes_store_in_their_own(void **state)
{
    (void)state;
    struct rig r;
    start(&r, "", "and.b32 %r2, %r0, 1; add.u32 %r2, %r2, 1; cvt.u64.u32 %d5, %r2;\n"
                  "shl.b32 %r3, %r0, 2; sust.b.1d.b32.trap [%d5, {%r3}], {%r0};\n"
                  "suld.b.1d.b32.trap {%r4}, [%d5, {%r3}];\n" STORE_U32("%r4"));
    make(&r, 1000, TEXTURE_SURFACE);
    make(&r, 5000, TEXTURE_SURFACE);
    assert_null(rig_run(&r, 32));
    for (u32 l = 0; l < 32; l++) assert_int_equal(rig_u32(&r, l), l);
    const struct textures *t = r.image.textures;
    for (u32 k = 0; k < 2; k++) {
        for (u32 l = 0; l < 32; l++) {
            u32 word = 0;
            image_read(&r.image, t->arrays[k].address + 4ull * l, &word, 4);
            assert_int_equal(word, l % 2 == k ? l : (k ? 5000 : 1000) + l);
        }
    }
    rig_free(&r);
}

/* Independent mode: the texture gives the data, the sampler the addressing and filtering. */
static void test_samplers(void **state)
{
    (void)state;
    struct rig r;
    start(&r, ".global .texref t;\n"
              ".global .samplerref s = { addr_mode_0 = wrap, filter_mode = nearest };\n",
          PLACE "div.rn.f32 %f1, %f1, 0f41200000;\n" /* i / 10 */
                "add.f32 %f1, %f1, 0f3D800000;\n"   /* + 1 / 16 */
                "tex.1d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [t, s, {%f1}];\n" STORE_U32("%r4"));
    texture_references(&r.image, 2);
    make(&r, 100, TEXTURE_ARRAY);
    texture_bind(&r.image, TEXTURE_REFERENCE, texture_find(&r.image, 1));
    struct texture s = {.kind = TEXTURE_SAMPLER,
                        .sampler = {.address = {ADDRESS_WRAP}, .normalized_coordinates = true}};
    texture_bind(&r.image, TEXTURE_REFERENCE + 1, &s);
    assert_null(rig_run(&r, 32));
    for (u32 l = 0; l < 32; l++) assert_int_equal(rig_u32(&r, l), 100 + (4 * l + 2) % 40);
    rig_free(&r);
}

static void test_what_is_not_bound(void **state)
{
    (void)state;
    static const struct {
        const char *body, *what;
    } cases[] = {
        {"tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [t, {%r0}];",
         "texture reference without a texture"},
        {"suld.b.1d.b32.trap {%r4}, [u, {%r0}];", "surface reference without a surface"},
        {"txq.width.b32 %r4, [t];", "texture reference without a texture"},
        {"mov.u64 %d5, 1; suq.width.b32 %r4, [%d5];", "invalid surface handle"},
        {"mov.u64 %d5, 0; tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d5, {%r0}];",
         "invalid texture handle"},
        {"mov.u64 %d5, 2; tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d5, {%r0}];",
         "texture or surface in unallocated memory"},
    };
    for (u32 k = 0; k < COUNT_OF(cases); k++) {
        struct rig r;
        start(&r, ".global .texref t;\n.global .surfref u;\n", cases[k].body);
        texture_references(&r.image, 2);
        make(&r, 1, TEXTURE_ARRAY);
        make(&r, 1, TEXTURE_ARRAY);
        assert_true(array_free(&r.image, r.image.textures->arrays[1].address));
        const char *what = rig_run(&r, 1);
        assert_non_null(what);
        assert_string_equal(what, cases[k].what);
        rig_free(&r);
    }
}

/* With memory.bounds=page a linear texture may end behind its allocation, in the same granule. */
static void test_longer_than_memory(void **state)
{
    (void)state;
    for (u32 k = 0; k < 3; k++) { /* too long; in mapped memory; in more memory than mapped */
        struct rig r;
        struct warnings warnings = {0};
        start(&r, "", "mov.u64 %d5, 1; add.u32 %r3, %r0, 2030;\n"
                      "tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d5, {%r3}];\n" STORE_U32("%r4")
                      "txq.width.b32 %r4, [%d5]; st.global.u32 [%d1+128], %r4;\n");
        r.image.granule_bytes = k ? 1 << 21 : 0;
        r.warnings = &warnings;
        for (u32 l = 0; l < 2048; l++) image_write(&r.image, r.in + 4 * l, &(u32){7 + l}, 4);
        struct texture line = {.kind = TEXTURE_LINEAR, .texel = row.texel, .address = r.in,
                               .width = k < 2 ? 2100 : 1 << 20};
        assert_int_equal(texture_new(&r.image, &line), 1);
        const char *what = rig_run(&r, 32);
        if (k != 1) assert_string_equal(what, "texture or surface in unallocated memory");
        else assert_null(what);
        for (u32 l = 0; k == 1 && l < 32; l++) {
            assert_int_equal(rig_u32(&r, l), l < 18 ? 2037 + l : 0);
            assert_int_equal(rig_u32(&r, 32 + l), 2048);
        }
        assert_int_equal(warnings.n, k == 1 ? 2 : 0); /* of both instructions */
        if (k == 1)
            assert_string_equal(warnings.at[0].text,
                                "linear texture of 8400 bytes ends behind 'in' of 8192 bytes, in a "
                                "mapped granule: reads behind 'in' return zeroes (memory.bounds is "
                                "page)");
        warnings_free(&warnings);
        rig_free(&r);
    }
}

static bool is_idempotent(const char *body)
{
    struct rig r;
    struct idempotence x = {0};
    struct program noting;
    start(&r, "", body);
    exec_note(&noting, r.program);
    r.program = &noting;
    struct texture line = {.kind = TEXTURE_LINEAR, .texel = row.texel, .width = 64,
                           .address = r.in};
    texture_new(&r.image, &line);
    make(&r, 1, TEXTURE_SURFACE);
    rig_start(&r, 64, 1, 1);
    r.block.idempotence = &x;
    for (bool moved = true; moved;) {
        moved = false;
        for (u32 k = 0; k < r.warp_n; k++) moved |= rig_step(&r, k);
    }
    assert_null(r.effect.fault.what);
    rig_free(&r);
    return !x.ended;
}

#define FETCH "mov.u64 %d5, 1; tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d5, {%r0}];\n"
#define SURFACE "mov.u64 %d6, 2; and.b32 %r3, %r0, 31; shl.b32 %r3, %r3, 2;\n"

static void test_blocks_begun_anew(void **state)
{
    (void)state;
    assert_true(is_idempotent(FETCH STORE_U32("%r4")));
    assert_false(is_idempotent(FETCH "st.global.u32 [%d2+252], %r4;"));
    assert_true(is_idempotent(FETCH "st.global.u32 [%d2+256], %r4;"));
    assert_true(is_idempotent(SURFACE "suld.b.1d.b32.trap {%r4}, [%d6, {%r3}];\n"
                              STORE_U32("%r4")));
    assert_false(is_idempotent(SURFACE "sust.b.1d.b32.trap [%d6, {%r3}], {%r0};"));
    assert_false(is_idempotent(SURFACE "sured.b.add.1d.u32.trap [%d6, {%r3}], %r0;"));
}

/* Effects for timing: exactly the texels read. */
static void test_effects(void **state)
{
    (void)state;
    struct rig r;
    start(&r, "", "setp.lt.u32 %p1, %r0, 5; sub.u32 %r3, %r0, 2; mov.u64 %d5, 1;\n"
                  "@%p1 tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d5, {%r3}];\n"
                  "mov.u64 %d6, 2; shl.b32 %r3, %r3, 2;\n"
                  "suld.b.1d.b32.zero {%r4}, [%d6, {%r3}];\n");
    struct texture line = {.kind = TEXTURE_LINEAR, .texel = row.texel, .width = 2,
                           .address = r.in};
    texture_new(&r.image, &line);
    make(&r, 1, TEXTURE_SURFACE);
    rig_start(&r, 32, 1, 1);
    u32 seen = 0;
    while (rig_step(&r, 0)) {
        const struct ptx_inst *i = ptx_next(&r.warps[0]) - 1;
        const struct effect *e = &r.effect;
        if (i->form.op == OP_TEX) {
            assert_int_equal(e->kind, EFFECT_MEMORY);
            assert_true(e->load && !e->store && !e->atomic);
            assert_int_equal(e->space, SPACE_TEXTURE);
            assert_int_equal(e->mask, 0x1f);
            assert_int_equal(e->texel_n, 2); /* the others are outside */
            u64 in = r.in + image_find(&r.image, r.in, 8)->shift;
            assert_int_equal(e->texel_start, in);
            assert_int_equal(e->texel_end, in + 8);
            seen++;
        } else if (i->form.op == OP_SULD) {
            assert_int_equal(e->space, SPACE_GLOBAL);
            assert_int_equal(e->mask, UINT32_MAX << 2);
            assert_int_equal(e->size_bytes, 4);
            assert_false(e->linear);
            seen++;
        }
    }
    assert_int_equal(seen, 2);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_have_their_own),
        cmocka_unit_test(test_lanes_store_in_their_own),
        cmocka_unit_test(test_samplers),
        cmocka_unit_test(test_what_is_not_bound),
        cmocka_unit_test(test_longer_than_memory),
        cmocka_unit_test(test_blocks_begun_anew),
        cmocka_unit_test(test_effects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
