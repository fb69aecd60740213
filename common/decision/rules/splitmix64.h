/* SplitMix64 of a seed and a salt. Inline: a request draws one for each campaign that is paced. */

#ifndef PLACARD_SPLITMIX64_H
#define PLACARD_SPLITMIX64_H

#include <stdint.h>

static inline uint64_t splitmix64(uint64_t seed, uint64_t salt)
{
    uint64_t z = seed + salt * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

#endif
