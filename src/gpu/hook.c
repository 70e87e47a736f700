#include "gpu/hook.h"

#include <stdarg.h>
#include <stdio.h>

enum { REFUSALS_SHOWN = 4 };

void refusal_start(struct place *p, const char *part, u32 number, u64 now)
{
    if (p->refusals++ >= REFUSALS_SHOWN) return;
    text_add(&p->refused, "cycle %llu, %s %u: ", (unsigned long long)now, part, number);
}

void refusal_say(struct place *p, const char *format, ...)
{
    if (p->refusals > REFUSALS_SHOWN) return;
    char words[200];
    va_list a;
    va_start(a, format);
    vsnprintf(words, sizeof words, format, a);
    va_end(a);
    text_add(&p->refused, "%s", words);
}
