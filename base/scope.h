/* SPDX-License-Identifier: Apache-2.0 */
/* Releasing locals by scope, and handing them over. */
#ifndef BASE_SCOPE_H
#define BASE_SCOPE_H

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* `cleanup(f) T x = NULL;` calls f(&x) when x leaves its scope. */
#define cleanup(f) __attribute__((cleanup(f)))

/* Defines NAMEp(), the scope form of a release function that accepts NULL. */
#define DEFINE_SCOPE_FREE(type, name)                                                                        \
        static inline void name##p(type *p)                                                                  \
        {                                                                                                    \
                name(*p);                                                                                    \
        }                                                                                                    \
        struct scope_free_semicolon_##name

/* Hands over: returns the value and leaves NULL or -1 behind, so that the scope releases nothing. */
#define take_ptr(p)                                                                                          \
        __extension__({                                                                                      \
                __typeof__(p) *take_from_ = &(p);                                                            \
                __typeof__(p) take_value_ = *take_from_;                                                     \
                *take_from_ = NULL;                                                                          \
                take_value_;                                                                                 \
        })

static inline int take_fd(int *fd)
{
        int value = *fd;
        *fd = -1;
        return value;
}

static inline void freep(void *p)
{
        free(*(void **)p);
}

/* errno survives, so that `return -errno` after a scope ends says what happened. */
static inline void close_fdp(int *fd)
{
        int saved = errno;
        if (*fd >= 0)
                (void)close(*fd); /* nothing to be done about an error at this point */
        errno = saved;
}

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
