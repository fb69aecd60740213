/* A condition that holds for every input; libFuzzer saves the input that breaks it. */

#ifndef PLACARD_REQUIRE_H
#define PLACARD_REQUIRE_H

#include <stdio.h>
#include <stdlib.h>

#define REQUIRE(condition)                                                                                     \
    do {                                                                                                       \
        if (!(condition)) {                                                                                    \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                          \
            abort();                                                                                           \
        }                                                                                                      \
    } while (0)

#endif
