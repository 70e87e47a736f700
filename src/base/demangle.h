/* Translates mangled C++ function names into the form written in a program. Source: Itanium C++
 * ABI, section 5.1 (external names). Supports scopes, templates over types and numbers,
 * substitutions, parameter types and the address of a function; no operators and no other
 * expressions. Returned texts live in the arena. */
#ifndef CORUN_DEMANGLE_H
#define CORUN_DEMANGLE_H

#include "base/arena.h"
#include "base/text.h"

struct cxx_name {         /* ns::ok<float>(float*, int) */
    const char *scope;    /* "ns::" */
    const char *name;     /* "ok" */
    const char *template; /* "<float>", or "" */
    const char *params;   /* "(float*, int)"; "": unknown */
};

/* Returns false if `mangled` is not a mangled name or uses an unsupported construct; `name` may be
 * known even then, the other parts are "". */
bool demangle(const char *mangled, struct arena *arena, struct cxx_name *out);

/* Appends the name as written in a program, or the text `mangled` if demangle returns false. */
void demangle_show(const char *mangled, struct text *out);

#endif
