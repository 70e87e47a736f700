/* The textures and surfaces of an app file: the buffer of each, and the sampler of textures. */
#include <stdlib.h>
#include <string.h>

#include "host/appfile.h"

enum { KEY_BUFFER, KEY_KIND, KEY_SIZE, KEY_CHANNELS, KEY_LAYERED, KEY_CUBE, KEY_LEVELS, KEY_FILTER,
       KEY_LEVEL_FILTER, KEY_ADDRESS, KEY_NORMALIZED, KEY_FRACTIONS, KEY_BORDER, KEY_REFERENCE,
       KEY_SURFACE, KEY_N };
static const struct key_row texture_keys[KEY_N] = {
    [KEY_BUFFER] = {"buffer", NODE_TEXT, true},
    [KEY_KIND] = {"kind", NODE_TEXT, false},
    [KEY_SIZE] = {"size", NODE_ANY, true},
    [KEY_CHANNELS] = {"channels", NODE_TEXT, false},
    [KEY_LAYERED] = {"layered", NODE_TEXT, false},
    [KEY_CUBE] = {"cube", NODE_TEXT, false},
    [KEY_LEVELS] = {"levels", NODE_TEXT, false},
    [KEY_FILTER] = {"filter", NODE_TEXT, false},
    [KEY_LEVEL_FILTER] = {"level_filter", NODE_TEXT, false},
    [KEY_ADDRESS] = {"address", NODE_ANY, false},
    [KEY_NORMALIZED] = {"normalized", NODE_TEXT, false},
    [KEY_FRACTIONS] = {"fractions", NODE_TEXT, false},
    [KEY_BORDER] = {"border", NODE_LIST, false},
    [KEY_REFERENCE] = {"reference", NODE_TEXT, false},
    [KEY_SURFACE] = {"surface", NODE_TEXT, false},
};

/* Sets *out to the index of the word in `words`; without a node *out is unchanged. */
static bool read_word(struct appfile *r, const struct node *node, const char *what,
                      const char *const *words, u32 word_n, u8 *out)
{
    if (!node) return true;
    struct nearest nearest;
    struct text all = {0};
    bool good = false;
    nearest_init(&nearest, node->text);
    for (u32 i = 0; i < word_n; i++) {
        nearest_offer(&nearest, words[i]);
        text_add(&all, "%s%s", i ? i + 1 < word_n ? ", " : " or " : "", words[i]);
        if (strcmp(node->text, words[i])) continue;
        *out = (u8)i;
        good = true;
    }
    if (!good) {
        fail_at(r->fail, r->file, node->offset, "%s must be %s", what, text_get(&all));
        if (node->text[0]) fail_nearest(r->fail, &nearest);
    }
    text_free(&all);
    return good;
}

static bool read_flag(struct appfile *r, const struct node *node, const char *what, bool *out)
{
    static const char *const words[] = {"false", "true"};
    u8 value = *out;
    bool good = read_word(r, node, what, words, COUNT_OF(words), &value);
    *out = value;
    return good;
}

static bool read_filter(struct appfile *r, const struct node *node, const char *what, u8 *out)
{
    static const char *const words[] = {[FILTER_POINT] = "point", [FILTER_LINEAR] = "linear"};
    return read_word(r, node, what, words, COUNT_OF(words), out);
}

/* Reads one address mode for all dimensions, or one per dimension. */
static bool read_address(struct appfile *r, const struct node *node, u8 out[3])
{
    static const char *const words[] = {[ADDRESS_WRAP] = "wrap", [ADDRESS_CLAMP] = "clamp",
                                        [ADDRESS_MIRROR] = "mirror", [ADDRESS_BORDER] = "border"};
    memset(out, ADDRESS_CLAMP, 3);
    if (!node) return true;
    if (node->kind == NODE_MAP || node->n > 3) {
        fail_at(r->fail, r->file, node->offset, "address needs a word, or a list of 1 to 3");
        return false;
    }
    const struct node *word = node->kind == NODE_TEXT ? node : node->first;
    for (u32 i = 0; i < 3; i++) {
        if (!read_word(r, word, "address", words, COUNT_OF(words), &out[i])) return false;
        if (node->kind != NODE_TEXT && word) word = word->next;
    }
    return true;
}

static bool read_border(struct appfile *r, const struct node *list, float out[4])
{
    u32 i = 0;
    for (const struct node *x = list ? list->first : NULL; x; x = x->next, i++) {
        char *end;
        float value = x->kind == NODE_TEXT ? strtof(x->text, &end) : 0;
        if (i < 4 && x->kind == NODE_TEXT && *x->text && !*end) out[i] = value;
        else {
            fail_at(r->fail, r->file, x->offset, "border has up to 4 numbers");
            return false;
        }
    }
    return true;
}

/* width, [width, height] or [width, height, depth] */
static bool read_size(struct appfile *r, const struct node *node, struct array_shape *s)
{
    u32 *sides[] = {&s->width, &s->height, &s->depth};
    const struct node *side = node->kind == NODE_TEXT ? node : node->first;
    if (node->kind == NODE_MAP || !side || node->n > 3) {
        fail_at(r->fail, r->file, node->offset, "size needs 1 to 3 numbers, as in [64, 64]");
        return false;
    }
    for (u32 i = 0; side && i < 3; i++, side = side->next) {
        u64 n;
        if (!read_integer(r, side, "size", 1, UINT32_MAX, &n)) return false;
        *sides[i] = (u32)n;
        if (side == node) break;
    }
    return true;
}

static u64 bytes_wanted(const struct script_texture *t)
{
    const struct array_shape *s = &t->shape;
    u64 sum = 0;
    for (u32 l = 0; l < max_u32(s->levels, 1); l++) {
        struct extent3 x = array_extent(s, l);
        sum += (u64)x.width * x.height * x.depth * texel_bytes(&s->texel);
    }
    return sum;
}

static bool find_buffer(struct appfile *r, const struct node *node, struct script_texture *t)
{
    static const struct {
        enum type of;
        u8 type;
    } types[] = {{T_U8, TEXEL_U8}, {T_U16, TEXEL_U16}, {T_U32, TEXEL_U32}, {T_S8, TEXEL_S8},
                 {T_S16, TEXEL_S16}, {T_S32, TEXEL_S32}, {T_F16, TEXEL_F16}, {T_F32, TEXEL_F32}};
    const struct script *s = r->script;
    struct nearest nearest;
    u32 at = UINT32_MAX;
    nearest_init(&nearest, node->text);
    for (u32 i = 0; i < s->buffer_n; i++) {
        nearest_offer(&nearest, s->regions[i].name);
        if (!strcmp(s->regions[i].name, node->text)) at = i;
    }
    if (at == UINT32_MAX) {
        fail_at(r->fail, r->file, node->offset, "no buffer is named '%s'", node->text);
        fail_nearest(r->fail, &nearest);
        return false;
    }
    t->buffer = at;
    for (u32 i = 0; i < COUNT_OF(types); i++) {
        if (types[i].of != s->regions[at].type) continue;
        t->shape.texel.type = types[i].type;
        return true;
    }
    fail_at(r->fail, r->file, node->offset, "texels cannot be %s, as buffer '%s' is",
            type_name(s->regions[at].type), node->text);
    return false;
}

/* Completes the texture's description and checks the size of the buffer. Rows of a pitch-linear
 * texture are contiguous; host_texture later rejects a pitch without hardware support. */
static bool settle(struct appfile *r, const struct node *value[KEY_N], struct script_texture *t)
{
    const struct script_region *b = &r->script->regions[t->buffer];
    u64 wanted = bytes_wanted(t);
    t->texture.texel = t->shape.texel;
    t->texture.width = t->shape.width;
    t->texture.height = t->shape.height;
    t->texture.pitch = (u64)t->shape.width * texel_bytes(&t->shape.texel);
    if (t->surface && t->texture.kind != TEXTURE_ARRAY) {
        fail_at(r->fail, r->file, value[KEY_SURFACE]->offset, "a surface must be of kind array");
        return false;
    }
    if (wanted == b->size_bytes) return true;
    fail_at(r->fail, r->file, value[KEY_SIZE]->offset,
            "%s has %llu bytes of texels, buffer '%s' has %llu", t->name,
            (unsigned long long)wanted, b->name, (unsigned long long)b->size_bytes);
    return false;
}

static bool read_texture(struct appfile *r, const struct node *key, struct script_texture *t)
{
    static const char *const kinds[] = {"array", "linear", "pitch"};
    static const u8 kind_of[] = {TEXTURE_ARRAY, TEXTURE_LINEAR, TEXTURE_PITCH};
    const struct node *value[KEY_N];
    struct array_shape *s = &t->shape;
    struct sampler *p = &t->texture.sampler;
    u64 channels = 1, levels = 1;
    u8 kind = 0;
    bool layered = false, cube = false;
    *t = (struct script_texture){.name = key->text, .offset = key->offset};
    if (!tree_keys(key->value, "a texture", texture_keys, KEY_N, value, r->file, r->fail))
        return false;
    bool good = find_buffer(r, value[KEY_BUFFER], t);
    good &= read_word(r, value[KEY_KIND], "kind", kinds, COUNT_OF(kinds), &kind);
    good &= read_size(r, value[KEY_SIZE], s);
    if (value[KEY_CHANNELS])
        good &= read_integer(r, value[KEY_CHANNELS], "channels", 1, 4, &channels);
    if (value[KEY_LEVELS])
        good &= read_integer(r, value[KEY_LEVELS], "levels", 1, ARRAY_LEVELS_MAX, &levels);
    good &= read_flag(r, value[KEY_LAYERED], "layered", &layered);
    good &= read_flag(r, value[KEY_CUBE], "cube", &cube);
    good &= read_flag(r, value[KEY_NORMALIZED], "normalized", &p->normalized_coordinates);
    good &= read_flag(r, value[KEY_FRACTIONS], "fractions", &p->normalized_float);
    good &= read_flag(r, value[KEY_SURFACE], "surface", &t->surface);
    good &= read_filter(r, value[KEY_FILTER], "filter", &p->filter);
    good &= read_filter(r, value[KEY_LEVEL_FILTER], "level_filter", &p->level_filter);
    good &= read_address(r, value[KEY_ADDRESS], p->address);
    good &= read_border(r, value[KEY_BORDER], p->border);
    s->texel.channels = (u8)channels;
    s->levels = (u8)levels;
    s->flags = (u8)((layered ? ARRAY_LAYERED : 0) | (cube ? ARRAY_CUBE : 0));
    if (layered && s->height && !s->depth && !cube) { /* [width, layers]: one-dimensional */
        s->depth = s->height;
        s->height = 0;
    }
    t->texture.kind = kind_of[kind];
    p->level_most = (float)(levels - 1);
    if (value[KEY_REFERENCE]) t->reference = value[KEY_REFERENCE]->text;
    return good && settle(r, value, t);
}

/* Checks that the name is valid and that no buffer or variable has the same name. */
static bool good_name(struct appfile *r, const struct node *key)
{
    bool good = !key->text[strcspn(key->text, "+$ \t")];
    if (!good) {
        fail_at(r->fail, r->file, key->offset,
                "a texture's name must not contain '+', '$' or blanks");
    }
    for (u32 i = 0; i < r->script->region_n && good; i++) {
        if (strcmp(r->script->regions[i].name, key->text)) continue;
        fail_at(r->fail, r->file, key->offset, "a buffer or variable is named '%s' too", key->text);
        good = false;
    }
    return good;
}

bool read_textures(struct appfile *r, const struct node *map)
{
    struct script *s = r->script;
    bool good = true;
    u32 n = 0;
    s->textures = arena_array(&r->in->arena, struct script_texture, s->texture_n);
    for (const struct node *key = s->texture_n ? map->first : NULL; key; key = key->next)
        good &= good_name(r, key) && read_texture(r, key, &s->textures[n++]);
    return good;
}
