/* Runs vector files (.txt) and case files (.case) and prints every difference: run_file FILE... */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "cases.h"

int main(int n, char **names)
{
    static struct coverage coverage;
    struct report report = {.shown = UINT32_MAX};
    for (int k = 1; k < n; k++) {
        const char *dot = strrchr(names[k], '.');
        if (dot && !strcmp(dot, ".case")) cases_run(names[k], &coverage, &report);
        else vectors_run(names[k], &coverage, &report);
    }
    printf("%u run, %u differences\n", report.vectors, report.failures);
    return report.failures > 0;
}
