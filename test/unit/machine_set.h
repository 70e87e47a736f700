/* Sets options of a machine in tests. A wrong key or value fails the test. */
#ifndef CORUN_TEST_MACHINE_SET_H
#define CORUN_TEST_MACHINE_SET_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/machine/machine.h"

static inline void machine_set(struct machine *m, const char *key, const char *value)
{
    struct fail fail = {0};
    const struct conf_row *row = conf_find(machine_rows, machine_row_n, key);
    if (!row) fail_msg("no option %s", key);
    if (!conf_set(m, row, value, &fail, NULL, 0)) fail_msg("%s", text_get(&fail.text));
}

/* Sets the options of a list, "key=value key=value". */
static inline void machine_set_all(struct machine *m, const char *list)
{
    char *copy = strdup(list), *rest = copy;
    assert_non_null(copy);
    for (char *key; (key = strsep(&rest, " "));) {
        char *value = strchr(key, '=');
        if (!*key) continue;
        assert_non_null(value);
        *value = 0;
        machine_set(m, key, value + 1);
    }
    free(copy);
}

#endif
