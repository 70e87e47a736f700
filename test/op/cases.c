#include "../unit/exec/run_block.h"

#include "cases.h"
#include "mem/textures.h"

enum { TEXT_MAX = 16384, LINE_BYTES_MAX = 32768, CHECKS_MAX = 64, TEXTURES_MAX = 4, SHOWN = 40 };

struct expected {
    u32 first, n, words[1024];
};

struct case_texture { /* the k-th line `texture` makes handle k + 1 */
    struct texture texture;
    struct array_shape shape;
    u32 texels[1024], word_n; /* as rows in memory */
};

struct kernel_case {
    char name[64];
    u32 threads, line;
    u32 start_line, body_line; /* of the PTX text; lines between them begin every kernel */
    char text[TEXT_MAX];
    size_t size;
    u32 in[2048], in_n;
    struct expected out[CHECKS_MAX];
    u32 out_n;
    struct case_texture textures[TEXTURES_MAX];
    u32 texture_n;
    char print[512], fault[128];
};

static void add_text(struct kernel_case *c, const char *text)
{
    size_t n = strlen(text);
    check(c->size + n < TEXT_MAX);
    memcpy(c->text + c->size, text, n + 1);
    c->size += n;
}

static u32 read_words(const char *text, u32 *words, u32 room)
{
    u32 n = 0;
    char *end;
    for (;; text = end) {
        u32 word = (u32)strtoul(text, &end, 16), repeat = 1;
        if (end == text) return n;
        if (*end == '*') repeat = (u32)strtoul(end + 1, &end, 10);
        while (repeat--) {
            check(n < room);
            words[n++] = word;
        }
    }
}

static void read_print(const char *text, char *out, size_t room)
{
    check(strlen(text) < room);
    while (*text) {
        bool line = text[0] == '\\' && text[1] == 'n';
        *out++ = line ? '\n' : *text;
        text += line ? 2 : 1;
    }
    *out = 0;
}

static void complain(const char *path, const struct kernel_case *c, struct report *report,
                  const char *what, u32 index, u32 is, u32 want)
{
    if (report->failures++ < (report->shown ? report->shown : SHOWN))
        fprintf(stderr, "# %s:%u: %s: %s %u is %x, not %x\n", path, c->line, c->name, what, index,
                is, want);
}

static void case_check(const char *path, const struct kernel_case *c, const struct rig *r,
                       const char *fault, struct report *report)
{
    if (c->fault[0] ? !fault || !strstr(fault, c->fault) : fault != NULL) {
        fprintf(stderr, "# %s:%u: %s: fault: %s\n", path, c->line, c->name, fault ? fault : "none");
        report->failures++;
        return;
    }
    for (u32 k = 0; k < c->out_n; k++)
        for (u32 j = 0; j < c->out[k].n; j++) {
            u32 index = c->out[k].first + j, is = rig_u32(r, index), want = c->out[k].words[j];
            if (is != want) complain(path, c, report, "word", index, is, want);
        }
    if (c->print[0] && strcmp(c->print, text_get(&r->printed))) {
        fprintf(stderr, "# %s:%u: %s: printed '%s'\n", path, c->line, c->name,
                text_get(&r->printed));
        report->failures++;
    }
}

/* texture KIND TYPE CHANNELS WIDTH HEIGHT DEPTH FLAGS LEVELS FILTER LEVEL_FILTER ADDRESS NORMALIZED
 * FRACTIONS: words of texels. All are the numbers of mem/texture.h; border and levels' limits are
 * fixed. */
static void read_texture(const char *line, struct case_texture *t)
{
    u32 n[13];
    int at = 0;
    for (u32 k = 0; k < COUNT_OF(n); k++, line += at)
        check(sscanf(line, "%u%n", &n[k], &at) == 1);
    struct texel texel = {(u8)n[1], (u8)n[2]};
    u8 mode = (u8)n[10];
    t->shape = (struct array_shape){texel, (u8)n[6], (u8)n[7], n[3], n[4], n[5]};
    t->texture = (struct texture){
        .kind = (u8)n[0], .texel = texel, .width = n[3], .height = n[4],
        .pitch = round_up((u64)n[3] * texel_bytes(&texel), 32),
        .sampler = {.address = {mode, mode, mode}, .filter = (u8)n[8], .level_filter = (u8)n[9],
                    .normalized_coordinates = n[11], .normalized_float = n[12],
                    .border = {0.25f, 0.5f, -2, 3}, .level_most = 15}};
    check(*line == ':');
    t->word_n = read_words(line + 1, t->texels, COUNT_OF(t->texels));
}

static void texture_make(struct rig *r, const struct case_texture *t)
{
    struct texture made = t->texture;
    bool is_array = made.kind == TEXTURE_ARRAY || made.kind == TEXTURE_SURFACE;
    const u8 *from = (const u8 *)t->texels;
    u32 levels = max_u32(t->shape.levels, 1), bytes = texel_bytes(&made.texel);
    u64 rows = max_u32(made.height, 1);
    if (is_array) {
        made.address = array_new(&r->image, &t->shape, "array")->address;
        made.shape = t->shape;
    } else {
        u64 size = made.kind == TEXTURE_PITCH ? rows * made.pitch : made.width * (u64)bytes;
        made.address = image_alloc(&r->image, size, "texels");
    }
    for (u32 l = 0; l < levels; l++) {
        struct extent3 x = array_extent(&t->shape, l);
        for (u32 k = 0; k < x.width * x.height * x.depth; k++, from += bytes) {
            u32 column = k % x.width, row = k / x.width % x.height, slice = k / x.width / x.height;
            u64 at = is_array ? array_offset(&t->shape, l, column * bytes, row, slice)
                              : row * made.pitch + column * bytes;
            check(image_write(&r->image, made.address + at, from, bytes));
        }
    }
    check(from <= (const u8 *)(t->texels + t->word_n));
    texture_new(&r->image, &made);
}

static void case_run(const char *path, struct kernel_case *c, struct coverage *coverage,
                     struct report *report)
{
    static struct rig r;
    add_text(c, END);
    rig_init(&r, c->text, 0);
    if (!image_write(&r.image, r.in, c->in, 4ull * c->in_n)) fail_msg("the input is too long");
    for (u32 k = 0; k < c->texture_n; k++) texture_make(&r, &c->textures[k]);
    const char *fault = rig_run(&r, c->threads);
    report->vectors++;
    case_check(path, c, &r, fault, report);
    for (u32 pc = 0; pc < r.program->code_n; pc++) {
        u32 line = r.program->code[pc].line;
        if (line < c->start_line || line >= c->body_line)
            coverage_note(coverage, &r.program->ptx->code[pc].form);
    }
    rig_free(&r);
}

static void case_begin(struct kernel_case *c, const char *rest, u32 line)
{
    memset(c, 0, sizeof *c);
    check(sscanf(rest, "%63s %u", c->name, &c->threads) == 2);
    c->line = line;
}

static u32 lines_of(const char *text)
{
    u32 n = 1;
    for (; *text; text++) n += *text == '\n';
    return n;
}

/* text before `kernel`: the module's variables and functions */
static void case_body(struct kernel_case *c)
{
    c->start_line = lines_of(c->text);
    add_text(c, KERNEL);
    c->body_line = lines_of(c->text);
}

static void case_line(struct kernel_case *c, const char *line)
{
    u32 first;
    int at = 0;
    if (!strncmp(line, "in:", 3)) {
        c->in_n = read_words(line + 3, c->in, COUNT_OF(c->in));
    } else if (!strncmp(line, "texture ", 8)) {
        check(c->texture_n < TEXTURES_MAX);
        read_texture(line + 8, &c->textures[c->texture_n++]);
    } else if (!strncmp(line, "print: ", 7)) {
        read_print(line + 7, c->print, sizeof c->print);
    } else if (!strncmp(line, "fault: ", 7)) {
        read_print(line + 7, c->fault, sizeof c->fault);
    } else if (sscanf(line, "out %u:%n", &first, &at) == 1 && at) {
        check(c->out_n < CHECKS_MAX);
        struct expected *e = &c->out[c->out_n++];
        e->first = first;
        e->n = read_words(line + at, e->words, COUNT_OF(e->words));
    } else {
        add_text(c, line);
        add_text(c, "\n");
    }
}

void cases_run(const char *path, struct coverage *coverage, struct report *report)
{
    static struct kernel_case c;
    static char line[LINE_BYTES_MAX];
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("cannot open %s", path);
    bool in_case = false;
    for (u32 number = 1; fgets(line, sizeof line, file); number++) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "case ", 5)) {
            case_begin(&c, line + 5, number);
            in_case = true;
            add_text(&c, HEAD);
        } else if (in_case && !strcmp(line, "kernel")) {
            case_body(&c);
        } else if (in_case && !strcmp(line, "end")) {
            case_run(path, &c, coverage, report);
            in_case = false;
        } else if (in_case) {
            case_line(&c, line);
        }
    }
    fclose(file);
}
