#include "run/io/make_rule.h"

#include <stdbool.h>
#include <string.h>

char *make_rule_files(char *rule)
{
    char *colon = strstr(rule, ": ");
    return colon ? colon + 1 : rule + strlen(rule);
}

/* Backslashes before a blank are doubled, and one more precedes the blank; one precedes a #; a $ is
 * doubled; other backslashes stand for themselves (GCC, mkdeps.cc; clang, DependencyFile.cpp). */
char *make_rule_next(char **rest)
{
    char *at = *rest;
    while (*at == ' ' || *at == '\n' || (*at == '\\' && at[1] == '\n')) at++;
    char *name = at, *out = at;
    while (*at && *at != '\n' && *at != ' ') {
        size_t n = strspn(at, "\\");
        char next = at[n];
        bool blank = next == ' ' || (next == '\t' && n);
        size_t kept = blank ? n / 2 : n && (next == '#' || next == '\n') ? n - 1 : n;
        memmove(out, at, kept);
        out += kept;
        at += n;
        if (!next || next == '\n' || (blank && n % 2 == 0)) break;
        if (next == '$' && at[1] == '$') at++;
        *out++ = next;
        at++;
    }
    *rest = at + (*at != 0);
    *out = 0;
    return *name ? name : NULL;
}
