/* A check of a test program: prints the line of a false condition, and ends. */
#ifndef TEST_NEED_H
#define TEST_NEED_H

#include <stdio.h>
#include <stdlib.h>

#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: not %s\n", __LINE__, #condition);                                     \
            exit(7);                                                                               \
        }                                                                                          \
    } while (0)

#endif
