/* Names of functions in C++ as the linker has them -> as they are written in a program.
 * Source: Itanium C++ ABI, section 5.1 (external names). Understands scopes, templates over types
 * and numbers, substitutions and parameter types; no operators, no expressions but the address of a
 * function. Returned texts lie in the arena. */
#ifndef CORUN_DEMANGLE_H
#define CORUN_DEMANGLE_H

#include "base/arena.h"

struct cxx_name {         /* ns::ok<float>(float*, int) */
    const char *scope;    /* "ns::" */
    const char *name;     /* "ok" */
    const char *template; /* "<float>", or "" */
    const char *params;   /* "(float*, int)"; "": not known */
};

/* false: it is no such name, or has something that is not understood; `name` may be known even
 * then, the rest is "". */
bool demangle(const char *mangled, struct arena *arena, struct cxx_name *out);

#endif
