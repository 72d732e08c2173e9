/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/pattern.h"

#include <endian.h>
#include <string.h>

#define WORD sizeof(uint64_t)
#define GOLDEN                                                                                               \
        UINT64_C(0x9e3779b97f4a7c15) /* 2^64 divided by the golden ratio: no two near counts are alike */

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
        return x ^ x >> 31;
}

/* Of the word at an offset. The seed is mixed first, or seeds GOLDEN apart would be shifts of each other. */
static uint64_t word_at(uint64_t mixed_seed, size_t offset)
{
        return mix(mixed_seed + (offset / WORD + 1) * GOLDEN);
}

static void fill(uint8_t *data, size_t bytes, uint64_t seed, uint64_t flip)
{
        size_t at = 0;
        seed = mix(seed);
        for (; bytes - at >= WORD; at += WORD) {
                uint64_t word = htole64(word_at(seed, at) ^ flip);
                memcpy(data + at, &word, WORD);
        }
        uint64_t word = htole64(word_at(seed, at) ^ flip);
        memcpy(data + at, &word, bytes - at);
}

void pattern_fill(void *data, size_t bytes, uint64_t seed)
{
        fill(data, bytes, seed, 0);
}

void pattern_fill_wrong(void *data, size_t bytes, uint64_t seed)
{
        fill(data, bytes, seed, UINT64_MAX);
}

/* Bytes that are not 0: each one's bits are gathered in its lowest. */
static unsigned nonzero_bytes(uint64_t x)
{
        x |= x >> 4;
        x |= x >> 2;
        x |= x >> 1;
        return (unsigned)__builtin_popcountll(x & UINT64_C(0x0101010101010101));
}

/* What differs in `n` bytes, the first one lowest. */
static uint64_t difference(const uint8_t *data, size_t n, uint64_t want)
{
        uint64_t got = htole64(want); /* so that bytes beyond n do not differ */
        memcpy(&got, data, n);
        return le64toh(got) ^ want;
}

bool pattern_is_wrong(const void *data, size_t bytes, uint64_t seed)
{
        seed = mix(seed);
        for (size_t at = 0; at < bytes; at += WORD) {
                size_t n = bytes - at < WORD ? bytes - at : WORD;
                if (difference((const uint8_t *)data + at, n, ~word_at(seed, at)) != 0)
                        return false;
        }
        return true;
}

uint64_t pattern_mismatches(const void *data, size_t bytes, uint64_t seed, size_t *ret_first)
{
        uint64_t wrong = 0;
        seed = mix(seed);
        for (size_t at = 0; at < bytes; at += WORD) {
                size_t n = bytes - at < WORD ? bytes - at : WORD;
                uint64_t d = difference((const uint8_t *)data + at, n, word_at(seed, at));
                if (d == 0)
                        continue;
                if (wrong == 0)
                        *ret_first = at + (size_t)__builtin_ctzll(d) / 8;
                wrong += nonzero_bytes(d);
        }
        return wrong;
}
