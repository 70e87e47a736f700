#include "run/io/ring.h"

#include <string.h>

/* Removes the oldest text: advances `from` behind the text and returns its bytes. */
static const char *next(struct ring *r, u32 *n)
{
    memcpy(n, r->kept.bytes + r->from, RING_EACH);
    const char *text = r->kept.bytes + r->from + RING_EACH;
    r->from += RING_EACH + *n;
    return text;
}

void ring_put(struct ring *r, const char *bytes, size_t n)
{
    u32 length = (u32)n;
    if (n + RING_EACH > r->bytes || n > UINT32_MAX) {
        r->lost++;
        return;
    }
    for (u32 oldest; r->kept.size - r->from + RING_EACH + n > r->bytes; r->lost++)
        next(r, &oldest);
    if (r->from > r->bytes) {
        memmove(r->kept.bytes, r->kept.bytes + r->from, r->kept.size - r->from);
        r->kept.size -= r->from;
        r->from = 0;
    }
    text_put(&r->kept, (const char *)&length, RING_EACH);
    text_put(&r->kept, bytes, n);
}

u64 ring_take(struct ring *r, struct text *out)
{
    u64 lost = r->lost;
    while (r->from < r->kept.size) {
        u32 n;
        const char *text = next(r, &n);
        text_put(out, text, n);
    }
    r->kept.size = r->from = 0;
    r->lost = 0;
    return lost;
}

void ring_free(struct ring *r)
{
    text_free(&r->kept);
    *r = (struct ring){0};
}
