/* App files: every mistake with the exact location, and a good file run up to the dump. */
#include "fixture.h"
#include "host/script.h"

#include <stdlib.h>

/* A good file; each test replaces a single line. */
static const char *const good_lines[] = {
    "app: demo",                                                                   /* 1 */
    "module: m.ptx",                                                               /* 2 */
    "buffers:",                                                                    /* 3 */
    "  x: {type: f32, count: 16, init: ramp}",                                     /* 4 */
    "  y: {type: f32, count: 16, init: const 1}",                                  /* 5 */
    "launches:",                                                                   /* 6 */
    "  - {kernel: saxpy, grid: [2, 1, 1], block: [8], args: [16, 2.5, $x, $y+4]}", /* 7 */
    "registers: {saxpy: 10}",                                                      /* 8 */
    "dump: {y: y.bin}",                                                            /* 9 */
};

static struct app_input *read_text(const char *text, size_t size, struct fail *fail)
{
    static const char name[] = "a.yaml";
    struct source *file = calloc(1, sizeof *file);
    *file = (struct source){name, text, size};
    struct app_input *in = fixture_file(file, fail);
    if (!in) free(file);
    return in;
}

static void input_end(struct app_input *in)
{
    free((void *)(uintptr_t)in->script->file);
    input_free(in);
}

/* Returns the file with a line replaced; line 0: none. */
static char *changed(u32 line, const char *text)
{
    struct text all = {0};
    for (u32 i = 1; i <= COUNT_OF(good_lines); i++) {
        text_add(&all, "%s\n", i == line ? text : good_lines[i - 1]);
    }
    return all.bytes;
}

struct row {
    u32 line;
    const char *text;
    u32 at_line, at_column;
    const char *says;
};
static const struct row rows[] = {
    {1, "", 2, 1, "an app file lacks the key 'app'"},
    {1, "app: a/b", 1, 6, "an app's name has 1 to 64 letters"},
    {1, "app: ''", 1, 6, "an app's name has"},
    {1, "app: [demo]", 1, 6, "'app' must be a single value, not a list"},
    {2, "module: n.ptx", 2, 9, "cannot open n.ptx"},
    {2, "modul: m.ptx", 2, 1,
     "unknown key 'modul' in an app file\n    modul: m.ptx\n    ^\n"
     "    note: did you mean 'module'?"},
    {2, "app: again", 2, 1, "'app' is given twice"},
    {2, "module: four.bin", 1, 1, "not PTX text"},
    {3, "buffers: {}", 4, 3, "malformed YAML"},
    {4, "  x: {type: f33, count: 16}", 4, 13, "unknown type 'f33'"},
    {4, "  x: {type: f32, count: 0}", 4, 25, "count must be a whole number from 1 to"},
    {4, "  x: {type: f32, count: 1.5}", 4, 25, "count must be a whole number"},
    {4, "  x: {type: f32, count: -3}", 4, 25, "count must be a whole number"},
    {4, "  x: {type: f32, count: 99999999999999}", 4, 25, "count must be a whole number"},
    {4, "  x: {type: u8, count: 1095216660450}", 5, 25, "beyond the device memory"},
    {4, "  x: {type: f32, cuont: 16}", 4, 18, "unknown key 'cuont' in buffer 'x'"},
    {4, "  x: {type: f32}", 4, 6, "buffer 'x' lacks the key 'count'"},
    {4, "  x: [f32, 16]", 4, 6, "'x' must be a map, not a list"},
    {4, "  x: {type: f32, count: 16, init: rampp}", 4, 35, "unknown initial value 'rampp'"},
    {4, "  x: {type: f32, count: 16, init: const}", 4, 35, "a number is missing"},
    {4, "  x: {type: f32, count: 16, init: [ramp]}", 4, 35, "'init' must be a single value"},
    {4, "  x: {type: f32, count: 16, init: file four.bin}", 4, 35,
     "four.bin has 4 bytes, buffer 'x' needs 64 (16 x f32)"},
    {4, "  x: {type: f32, count: 16, init: file none.bin}", 4, 35, "cannot open none.bin"},
    {4, "  x: &b {type: f32, count: 16}", 4, 6, "anchors are not supported"},
    {4, "  x: *b", 4, 6, "aliases are not supported"},
    {4, "  x: !map {type: f32, count: 16}", 4, 6, "tags are not supported"},
    {4, "  y: {type: f32, count: 16}", 5, 3, "'y' is given twice"},
    {4, "  x+: {type: f32, count: 16}", 4, 3, "a buffer's name must not contain"},
    {4, "  {a: b}: {type: f32, count: 16}", 4, 3, "a key must be a plain word, not a map"},
    {5, "\ty: {}", 5, 1, "malformed YAML"},
    {6, "launchs:", 6, 1, "unknown key 'launchs'"},
    {7, "  []", 7, 3, "an app needs at least one launch"},
    {7, "  - saxpy", 7, 5, "a launch must be a map, not a single value"},
    {7, "  - {grid: [1], block: [1]}", 7, 5, "a launch lacks the key 'kernel'"},
    {7, "  - {kernel: sapxy, grid: [1], block: [1]}", 7, 14, "m.ptx has no kernel 'sapxy'"},
    {7, "  - {kernel: none, gird: [1], block: [1]}", 7, 20, "unknown key 'gird' in a launch"},
    {7, "  - {kernel: none, grid: [0, 1, 1], block: [1]}", 7, 26,
     "grid [0, 1, 1] has a side of zero"},
    {7, "  - {kernel: none, grid: [1], block: [8, 0]}", 7, 38,
     "block [8, 0, 1] has a side of zero"},
    {7, "  - {kernel: none, grid: [], block: [1]}", 7, 26, "grid needs 1 to 3 numbers"},
    {7, "  - {kernel: none, grid: [1, 1, 1, 1], block: [1]}", 7, 26, "grid needs 1 to 3 numbers"},
    {7, "  - {kernel: none, grid: [1, x], block: [1]}", 7, 30, "grid must be a whole number"},
    {7, "  - {kernel: none, grid: [[1]], block: [1]}", 7, 27, "grid must be a whole number"},
    {7, "  - {kernel: none, grid: {x: 1}, block: [1]}", 7, 26, "grid needs 1 to 3 numbers"},
    {7, "  - {kernel: none, grid: [1, 65536], block: [1]}", 7, 26,
     "over the limit of [2147483647, 65535"},
    {7, "  - {kernel: none, grid: [2147483648], block: [1]}", 7, 26, "over the limit"},
    {7, "  - {kernel: none, grid: [1], block: [256, 5]}", 7, 38, "over the limit of 1024 threads"},
    {7, "  - {kernel: narrow, grid: [1], block: [65]}", 7, 40, "over the limit of 64 threads"},
    {7, "  - {kernel: exact, grid: [1], block: [32]}", 7, 39,
     "block [32, 1, 1] is not [8, 4, 1] (.reqntid of the kernel)"},
    {7, "  - {kernel: none, grid: [1], block: [1], shared_bytes: -1}", 7, 57,
     "shared_bytes must be"},
    {7, "  - {kernel: none, grid: [1], block: [1], repeat: 0}", 7, 51, "repeat must be"},
    {7, "  - {kernel: none, grid: [1], block: [1], stream: 1024}", 7, 51, "stream must be"},
    {7, "  - {kernel: none, grid: [1], block: [1], args: 5}", 7, 49, "'args' must be a list"},
    {7, "  - {kernel: none, grid: [1], block: [1], args: [5]}", 7, 49,
     "1 argument for a kernel with 0 parameters"},
    {7, "  - {kernel: saxpy, grid: [1], block: [1]}", 7, 5,
     "0 arguments for a kernel with 4 parameters"},
    {7, "  - {kernel: saxpy, grid: [1], block: [1], args: [1.5, 2, $x, $y]}", 7, 51,
     "u32 takes a whole number"},
    {7, "  - {kernel: saxpy, grid: [1], block: [1], args: [1, 2, $z, $y]}", 7, 57,
     "no buffer is named 'z'"},
    {7, "  - {kernel: saxpy, grid: [1], block: [1], args: [$x, 2, $x, $y]}", 7, 51,
     "needs a 64-bit integer parameter, not u32 n"},
    {7, "  - {kernel: saxpy, grid: [1], block: [1], args: [1, [2], $x, $y]}", 7, 54,
     "a list is only for a struct passed by value; the parameter is f32 a"},
    {7, "  - {kernel: saxpy, grid: [1], block: [1], args: [1, {a: 2}, $x, $y]}", 7, 54,
     "an argument must be a single value, or the list of a struct's fields, not a map"},
    {7, "  - {kernel: mix, grid: [1], block: [1], args: [1, 2, 3, [u32 1, $x]]}", 7, 58,
     "the fields take 16 bytes, laid out as in C, but parameter s has 12"},
    {7, "  - {kernel: mix, grid: [1], block: [1], args: [1, 2, 3, [$x, hex 01020304]]}", 7, 58,
     "the fields take 16 bytes"},
    {7, "  - {kernel: mix, grid: [1], block: [1], args: [1, 2, 3, []]}", 7, 58,
     "the list is empty"},
    {7, "  - {kernel: mix, grid: [1], block: [1], args: [1, 2, 3, [u32 1, [u16 1, {}]]]}", 7, 74,
     "expected a value or a list of fields, not a map"},
    {7, "  - {kernel: mix, grid: [1], block: [1], args: [1, 2, 3, [u32 1, [u32 2, 3]]]}", 7, 74,
     "a field is TYPE NUMBER..., as in 'u32 16'"},
    {7, "  - {kernel: mix, grid: [1], block: [1], args: [1, 2, 3, [$xx, u32 1]]}", 7, 59,
     "no buffer is named 'xx'"},
    {7, "  - {kernel: saxpy, grid: [1], block: [1], args: [1, 2, $x, $y}]}", 7, 63,
     "malformed YAML"},
    {7, "  - {kernel: mix, grid: [1], block: [1], args: [1, 2, 3, file four.bin]}", 7, 58,
     "four.bin has 4 bytes, parameter s has 12"},
    /* symbols */
    {8, "symbols: {tabel: 1}", 8, 11, "m.ptx has no .global or .const variable 'tabel'"},
    {8, "symbols: {table: [7, 8, 9, 10]}", 8, 18,
     "the values take 16 bytes, but 'table' has 12"},
    {8, "symbols: {table: 7}", 8, 18,
     "'table' has 12 bytes, more than one u32: give a list of values, or 'const 7'"},
    {8, "symbols: {table: [7, 1.5]}", 8, 22, "u32 takes a whole number"},
    {8, "symbols: {table: {type: u64, init: zero}}", 8, 25,
     "'table' has 12 bytes, not a multiple of the size of u64"},
    {8, "symbols: {table: {type: u32}}", 8, 18, "a symbol needs 'init' or 'values'"},
    {8, "symbols: {table: {init: zero, values: [1]}}", 8, 39, "'init' and 'values' both set"},
    {8, "symbols: {table: {init: zero, within: 1}}", 8, 31, "unknown key 'within' in a symbol"},
    {8, "symbols: {table: ramp 1}", 8, 18, "ramp takes no number or START STEP"},
    {8, "symbols: {table: file four.bin}", 8, 18,
     "four.bin has 4 bytes, buffer 'table' needs 12 (3 x u32)"},
    {8, "symbols: [table]", 8, 10, "'symbols' must be a map"},
    {8, "symbols: {}\nvariables: {}", 9, 12, "'variables' is the older name of 'symbols'"},
    {8, "steps: []", 7, 3, "'launches' is the older name of 'steps'"},
    /* values */
    {4, "  x: {type: u64, values: [$y, $z]}", 4, 31, "no buffer is named 'z'"},
    {4, "  x: {type: u64, count: 1, values: [$y, $y+8]}", 4, 36,
     "the values take 16 bytes, but 'x' has 8"},
    {4, "  x: {type: u64, values: [$y+65]}", 4, 27, "65 bytes is beyond the end of buffer 'y'"},
    {4, "  x: {type: u64, values: [$x+9]}", 4, 27, "9 bytes is beyond the end of buffer 'x'"},
    {4, "  x: {type: u64, values: []}", 4, 26, "the list is empty"},
    {4, "  x: {type: u64, values: 7}", 4, 26, "'values' must be a list"},
    {4, "  x: {type: u8, values: [255, 256]}", 4, 31, "256 does not fit u8"},
    {4, "  x: {type: f32, count: 16, init: ramp, values: [1]}", 4, 49, "'init' and 'values' both"},
    /* steps */
    {7, "  - {fill: $x}", 7, 3, "an app needs at least one launch"},
    {7, "  - {fill: x}", 7, 12, "fill must be $NAME or $NAME+BYTES"},
    {7, "  - {fill: $z}", 7, 12, "no buffer is named 'z'"},
    {7, "  - {fill: $x+64}", 7, 12, "the offset is at the end of the buffer"},
    {7, "  - {fill: $x+65}", 7, 12, "65 bytes is beyond the end of buffer 'x'"},
    {7, "  - {fill: $x+60, bytes: 5}", 7, 26, "bytes must be a whole number from 1 to 4"},
    {7, "  - {fill: $x, bytes: 5, init: const 1}", 7, 32,
     "'x' has 5 bytes, not a multiple of the size of f32"},
    {7, "  - {fill: $x+56, values: [1, 2, 3]}", 7, 27,
     "the values take 12 bytes, but 'x' has 8 from the offset on"},
    {7, "  - {fill: $x, with: zero}", 7, 16, "unknown key 'with' in a fill"},
    {7, "  - {fill: $x, init: file four.bin}", 7, 22, "four.bin has 4 bytes, buffer 'x' needs 64"},
    {7, "  - {copy: $x}", 7, 5, "a copy lacks the key 'to'"},
    {7, "  - {copy: $x, to: y}", 7, 20, "to must be $NAME or $NAME+BYTES"},
    {7, "  - {copy: $x, to: $y+4}", 7, 20, "64 bytes are copied, but 'y' has 60 from"},
    {7, "  - {copy: $x, to: $y, bytes: 65}", 7, 31, "bytes must be a whole number from 1 to 64"},
    {7, "  - {copy: $x, to: $y, repeat: 2}", 7, 24, "unknown key 'repeat' in a copy"},
    {7, "  - {copi: $x, to: $y}", 7, 6, "a step needs one key of 'kernel' (a launch), 'fill'"},
    {7, "  - {steps: [{kernel: none, grid: 1, block: 1}]}", 7, 5,
     "a list of steps lacks the key 'repeat'"},
    {7, "  - {repeat: 2, steps: [{fill: $x}]}", 7, 24, "a repeated list needs a launch"},
    {7, "  - {repeat: 2, steps: []}", 7, 24, "a list of steps is empty"},
    {7, "  - {repeat: 2, steps: [{kernel: non, grid: 1, block: 1}]}", 7, 34,
     "m.ptx has no kernel 'non'"},
#define LOOP(repeat) "  - {kernel: none, grid: 1, block: 1, repeat: " repeat "}"
    {7, LOOP("[2]"), 7, 47, "repeat is a number of passes, or {until: "},
    {7, LOOP("{most: 2}"), 7, 47, "repeat lacks the key 'until'"},
    {7, LOOP("{until: {buffer: x, equals: 0}}"), 7, 47, "repeat lacks the key 'most'"},
    {7, LOOP("{until: {buffer: x, equals: 0}, most: 0}"), 7, 85, "most must be a whole number"},
    {7, LOOP("{until: {buffer: z, equals: 0}, most: 9}"), 7, 64, "no buffer is named 'z'"},
    {7, LOOP("{until: {buffer: x}, most: 9}"), 7, 55, "until needs either 'equals' or 'differs'"},
    {7, LOOP("{until: {buffer: x, equals: 1, differs: 2}, most: 9}"), 7, 55, "until needs either"},
    {7, LOOP("{until: {buffer: x, index: 16, equals: 0}, most: 9}"), 7, 74,
     "index must be a whole number from 0 to 15"},
    {7, LOOP("{until: {buffer: x, equals: maybe}, most: 9}"), 7, 75, "'maybe' is not a number"},
    {7, LOOP("{until: {buffer: table, equals: 1.5}, most: 9}"), 7, 79, "u32 takes a whole number"},
    /* expect */
    {8, "expect: {z: ramp}", 8, 10, "no buffer is named 'z'"},
    {8, "expect: {y: rampp}", 8, 13, "unknown initial value 'rampp'"},
    {8, "expect: {y: 4}", 8, 13, "'y' has 64 bytes, more than one f32"},
    {8, "expect: {y: {within: 1}}", 8, 13, "an expected value needs 'init' or 'values'"},
    {8, "expect: {y: {init: ramp, within: -1}}", 8, 34, "within must be a number from 0 on"},
    {8, "expect: {y: {init: ramp, within: nan}}", 8, 34, "within must be a number from 0 on"},
    {8, "expect: {y: file none.bin}", 8, 13, "cannot open none.bin"},
    {8, "registers: {saxy: 10}", 8, 13, "has no kernel 'saxy'"},
    {8, "registers: {saxpy: 256}", 8, 20, "registers must be a whole number from 1 to 255"},
    {8, "registers: [10]", 8, 12, "'registers' must be a map"},
    {9, "dump: {why: y.bin}", 9, 8, "no buffer is named 'why'"},
    {9, "dump: {y: ''}", 9, 11, "dump needs a PATH"},
    {9, "dump: {x: o.bin, y: o.bin}", 9, 21, "two dumps go to the same file"},
    {9, "--- {}", 9, 1, "a second document"},
    {9, "\x01", 9, 1, "not a text file: byte 0x01"},
    {9, "é: ü", 9, 1, "unknown key"},
    {9, "\xff: 1", 9, 1, "malformed YAML"},
};

static void mistakes_have_places(void **state)
{
    (void)state;
    u32 wrong = 0;
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const struct row *r = &rows[i];
        char *text = changed(r->line, r->text);
        struct fail fail = {0};
        struct app_input *in = read_text(text, strlen(text), &fail);
        struct text place = {0};
        bool of_module = strstr(r->text, "four.bin") && r->line == 2;
        text_add(&place, "%s:%u:%u: error: ", of_module ? "four.bin" : "a.yaml", r->at_line,
                 r->at_column);
        const char *found = strstr(text_get(&fail.text), text_get(&place));
        if (in || !found || !strstr(found, r->says)) {
            print_error("%s\n wanted %s%s\n got %s", r->text, text_get(&place), r->says,
                        text_get(&fail.text));
            wrong++;
        }
        text_free(&place);
        fail_free(&fail);
        free(text);
    }
    assert_int_equal(wrong, 0);
}

static void several_in_one_go(void **state)
{
    (void)state;
    static const char text[] = "app: a b\n"
                               "module: m.ptx\n"
                               "buffers: {x: {type: f3, count: 1}, y: {type: u8, count: no}}\n"
                               "launches:\n"
                               "- {kernel: nine, grid: 1, block: 0}\n"
                               "- {kernel: saxpy, grid: 1, block: 0, args: [x, y, $y, $q]}\n";
    struct fail fail = {0};
    assert_null(read_text(text, sizeof text - 1, &fail));
    assert_int_equal(fail.error_n, 8);
    assert_non_null(
        strstr(text_get(&fail.text), "the kernel is saxpy(u32 n, f32 a, u64 x, u64 y)"));
    fail_free(&fail);
}

static void hostile_depth(void **state)
{
    (void)state;
    static const char *const pieces[] = {"{", "[", "{a: ", "- ", "? ", "\"", "a: "};
    for (u32 i = 0; i < COUNT_OF(pieces); i++) {
        struct text text = {0};
        struct fail fail = {0};
        for (u32 n = 0; n < 100000; n++) text_add(&text, "%s", pieces[i]);
        assert_null(read_text(text_get(&text), text.size, &fail));
        assert_non_null(strstr(text_get(&fail.text), "a.yaml:1:"));
        text_free(&text);
        fail_free(&fail);
    }
}

static void cut_short(void **state)
{
    (void)state;
    char *text = changed(0, NULL);
    for (size_t size = 0; size + 30 < strlen(text); size++) {
        struct fail fail = {0};
        char *exact = malloc(size + 1); /* the sanitizer detects a read beyond */
        memcpy(exact, text, size);
        struct app_input *in = read_text(exact, size, &fail);
        if (in) input_end(in);
        assert_true(!in == (fail.error_n > 0));
        fail_free(&fail);
        free(exact);
    }
    free(text);
}

static void good_file_runs(void **state)
{
    (void)state;
    char *text = changed(
        7, "  - {kernel: saxpy, grid: [2, 1, 1], block: 8, args: [16, 2.5, $x, $y+4], repeat: 2}\n"
           "  - {kernel: mix, grid: 1, block: [1, 2, 3], stream: 5, shared_bytes: 64,\n"
           "     args: [-1, 0x10, 3, file dozen.bin]}");
    struct fail fail = {0};
    struct app_input *in = read_text(text, strlen(text), &fail);
    if (!in) fail_msg("%s", text_get(&fail.text));
    assert_string_equal(input_name(in), "demo");
    assert_true(input_fits(in, &fixture_machine, &fail));
    struct app *a = app_new(in, "demo", 3, &fixture_machine, NULL);
    struct fake_gpu gpu = {0};
    app_start(a);
    app_poll(a);
    fake_take(&gpu, a);
    assert_int_equal(gpu.n, 2);
    const struct launch *l = &gpu.at[0], *mix = &gpu.at[1];
    assert_int_equal(l->registers, 10);
    assert_int_equal(l->app_id, 3);
    assert_int_equal(l->block[0], 8);
    u64 x, y;
    memcpy(&x, l->param + 8, 8);
    memcpy(&y, l->param + 16, 8);
    float values[16];
    assert_true(image_read(l->image, x, values, sizeof values));
    assert_true(values[0] == 0 && values[15] == 15);
    assert_true(image_read(l->image, y - 4, values, sizeof values));
    assert_true(values[0] == 1 && values[15] == 1);
    assert_int_equal(mix->stream, 5);
    assert_int_equal(mix->block[2], 3);
    assert_int_equal(mix->dynamic_shared_bytes, 64);
    assert_int_equal(mix->param[0], 255);
    assert_memory_equal(mix->param + mix->program->params[3].offset, "abcdefghijkl", 12);
    values[3] = 42;
    assert_true(image_write(&a->image, y - 4, values, sizeof values));
    fake_end(&gpu, 0, a);
    fake_end(&gpu, 0, a);
    assert_false(app_completed(a));
    fake_end(&gpu, 0, a);
    assert_true(app_completed(a));
    assert_int_equal(app_launches(a), 3);
    assert_int_equal(app_checked(a), -1);
    assert_int_equal(input_dump_n(in), 1);
    struct input_dump dump;
    u64 size_bytes;
    input_dump(in, 0, &dump);
    assert_string_equal(dump.path, "y.bin");
    assert_string_equal(dump.name, "y");
    assert_memory_equal(app_dump(a, 0, &size_bytes), values, 64);
    assert_true(size_bytes == 64 && dump.size_bytes == 64);
    app_free(a);
    input_end(in);
    free(text);
}

static u64 word(const struct image *m, u64 address)
{
    u64 value = 0;
    assert_true(image_read(m, address, &value, 8));
    return value;
}

/* Runs an app file; the test ends the launches one by one. */
struct steps {
    struct app_input *in;
    struct app *app;
    struct fake_gpu gpu;
    struct warnings warnings;
};

static void steps_start(struct steps *s, const char *text)
{
    struct fail fail = {0};
    *s = (struct steps){.in = read_text(text, strlen(text), &fail)};
    if (!s->in) fail_msg("%s", text_get(&fail.text));
    s->app = app_new(s->in, "demo", 0, &fixture_machine, NULL);
    s->app->warnings = &s->warnings;
    app_start(s->app);
    app_poll(s->app);
    fake_take(&s->gpu, s->app);
}

static void steps_end(struct steps *s)
{
    app_free(s->app);
    warnings_free(&s->warnings);
    input_end(s->in);
}

static u64 start_of(struct steps *s, const char *name)
{
    for (u32 i = 0; i < s->in->script->region_n; i++)
        if (!strcmp(s->in->script->regions[i].name, name))
            return ((const u64 *)s->app->places)[i];
    fail_msg("no %s", name);
    return 0;
}

/* struct {float *x; u32 n; u8 c; } needs 16 bytes; mix's parameter has 12 */
static void addresses_in_memory(void **state)
{
    (void)state;
    struct steps s;
    steps_start(&s, "app: demo\n"
                    "module: m.ptx\n"
                    "buffers:\n"
                    "  p: {type: u64, values: [$x+8, 5, $table, [u8 1, u16 2, $x]]}\n"
                    "  x: {type: f32, count: 16}\n"
                    "symbols: {sum: 7, table: [u32 1, u16 2 3]}\n"
                    "steps:\n"
                    "  - {kernel: saxpy, grid: 1, block: 1, args: [1, 2, $p+8, $table+4]}\n"
                    "  - {kernel: mix, grid: 1, block: 1, args: [1, 2, 3, [u8 1, u32 2, hex 09]]}\n"
                    "  - {kernel: mix, grid: 1, block: 1, args: [1, 2, 3, hex $x+1 00000000]}\n");
    const struct image *m = &s.app->image;
    u64 p = start_of(&s, "p"), x = start_of(&s, "x"), table = start_of(&s, "table");
    assert_int_equal(s.in->script->regions[0].count, 5);
    assert_true(word(m, p) == x + 8 && word(m, p + 8) == 5 && word(m, p + 16) == table);
    assert_true(word(m, p + 24) == 0x20001 && word(m, p + 32) == x);
    u32 sum = 0;
    assert_true(image_read(m, start_of(&s, "sum"), &sum, 4));
    assert_int_equal(sum, 7);
    assert_true(word(m, table) == (1 | 2ull << 32 | 3ull << 48));
    u64 argument;
    memcpy(&argument, s.gpu.at[0].param + 8, 8);
    assert_true(argument == p + 8);
    memcpy(&argument, s.gpu.at[0].param + 16, 8);
    assert_true(argument == table + 4);
    fake_end(&s.gpu, 0, s.app);
    const struct launch *l = &s.gpu.at[0];
    assert_memory_equal(l->param + l->program->params[3].offset, "\1\0\0\0\2\0\0\0\11\0\0", 12);
    fake_end(&s.gpu, 0, s.app);
    l = &s.gpu.at[0];
    memcpy(&argument, l->param + l->program->params[3].offset, 8);
    assert_true(argument == x + 1);
    steps_end(&s);
}

static const char loop_text[] =
    "app: demo\n"
    "module: m.ptx\n"
    "buffers:\n"
    "  flag: {type: s32, count: 2, init: const 9}\n"
    "  x: {type: u8, values: [1, 2, 3, 4]}\n"
    "  y: {type: u8, count: 8, init: const 7}\n"
    "steps:\n"
    "  - repeat: {until: {buffer: flag, index: 1, equals: -1}, most: 4}\n"
    "    steps:\n"
    "      - {fill: $flag+4}\n"
    "      - {kernel: none, grid: 1, block: 1, repeat: 2}\n"
    "  - {copy: $x+1, to: $y+5, bytes: 2}\n"
    "  - {fill: $y+1, values: [8, 9]}\n"
    "  - {kernel: none, grid: 2, block: 1}\n"
    "expect: {y: [7, 8, 9, 7, 7, 2, 3, 7], flag: {values: [9, -3], within: 0.7}}\n"
    "dump: {sum: s.bin}\n";

static void steps_in_order(void **state)
{
    (void)state;
    struct steps s;
    steps_start(&s, loop_text);
    u64 flag = start_of(&s, "flag");
    const s32 done = -1;
    for (u32 execution = 0; execution < 2; execution++) {
        for (u32 pass = 0; pass < 3; pass++) {
            assert_int_equal(s.gpu.n, 1); /* one stream: one at a time */
            assert_int_equal(word(&s.app->image, flag) >> 32, 0);
            if (pass == 2) assert_true(image_write(&s.app->image, flag + 4, &done, 4));
            else assert_true(image_write(&s.app->image, flag + 4, "four", 4));
            fake_end(&s.gpu, 0, s.app);
            assert_int_equal(s.gpu.at[0].grid[0], 1);
            fake_end(&s.gpu, 0, s.app);
        }
        assert_int_equal(s.gpu.n, 1);
        assert_int_equal(s.gpu.at[0].grid[0], 2);
        fake_end(&s.gpu, 0, s.app);
        assert_true(app_completed(s.app));
        assert_int_equal(app_checked(s.app), 1);
        u64 size_bytes;
        app_dump(s.app, 0, &size_bytes);
        assert_int_equal(size_bytes, 4);
        app_restart(s.app);
        app_poll(s.app);
        fake_take(&s.gpu, s.app);
    }
    assert_int_equal(s.warnings.n, 0);
    steps_end(&s);
}

static void loop_that_does_not_end(void **state)
{
    (void)state;
    struct steps s;
    steps_start(&s, loop_text);
    for (u32 pass = 0; pass < 4; pass++) {
        fake_end(&s.gpu, 0, s.app);
        fake_end(&s.gpu, 0, s.app);
    }
    assert_int_equal(s.gpu.at[0].grid[0], 2);
    assert_int_equal(s.warnings.n, 1);
    assert_int_equal(s.warnings.at[0].line, 8);
    assert_string_equal(s.warnings.at[0].text, "repeat ended after the most, 4 passes, before "
                                               "'flag' met the condition");
    fake_end(&s.gpu, 0, s.app);
    assert_int_equal(app_checked(s.app), 0);
    assert_string_equal(app_checked_why(s.app), "flag[1] is 0, expected -3 within 0.7");
    steps_end(&s);
}

static void block_that_cannot_fit(void **state)
{
    (void)state;
    char *text = changed(8, "registers: {saxpy: 255}");
    char *block = strstr(text, "block: [8]");
    memcpy(block, "block: 999", 10);
    struct fail fail = {0};
    struct app_input *in = read_text(text, strlen(text), &fail);
    assert_non_null(in);
    assert_false(input_fits(in, &fixture_machine, &fail));
    assert_non_null(strstr(text_get(&fail.text), "a.yaml:7:45: error: needs too many registers"));
    fail_free(&fail);
    input_end(in);
    free(text);
}

/* ---- content of the cache key ---- */

static void count(void *to, const void *bytes, size_t n)
{
    u64 *hash = to;
    for (size_t i = 0; i < n; i++) *hash = (*hash ^ ((const u8 *)bytes)[i]) * 0x100000001b3ull;
}

static u64 hash_of(const char *text)
{
    u64 hash = 0xcbf29ce484222325ull;
    struct fail fail = {0};
    struct app_input *in = read_text(text, strlen(text), &fail);
    assert_non_null(in);
    input_feed(in, count, &hash);
    input_end(in);
    return hash;
}

static void feed_sees_contents(void **state)
{
    (void)state;
    static const char with_four[] =
        "{app: a, module: m.ptx, launches: [{kernel: none, grid: 1, block: "
        "1}], buffers: {x: {type: u8, count: 4, init: file four.bin}}}";
    static const char with_zero[] =
        "{app: a, module: m.ptx, launches: [{kernel: none, grid: 1, block: "
        "1}], buffers: {x: {type: u8, count: 4, init: zero         }}}";
    assert_true(hash_of(with_four) == hash_of(with_four));
    assert_true(hash_of(with_four) != hash_of(with_zero));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_have_places), cmocka_unit_test(several_in_one_go),
        cmocka_unit_test(hostile_depth),        cmocka_unit_test(cut_short),
        cmocka_unit_test(addresses_in_memory),  cmocka_unit_test(steps_in_order),
        cmocka_unit_test(loop_that_does_not_end),
        cmocka_unit_test(good_file_runs),       cmocka_unit_test(block_that_cannot_fit),
        cmocka_unit_test(feed_sees_contents),
    };
    return cmocka_run_group_tests_name("host appfile", tests, NULL, NULL);
}
