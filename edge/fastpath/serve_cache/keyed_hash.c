#include "edge/fastpath/serve_cache/keyed_hash.h"

#include <string.h>

typedef struct {
    uint64_t v0, v1, v2, v3;
} SipState;

static inline uint64_t rotated(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}

static inline void mix(SipState *state)
{
    state->v0 += state->v1, state->v2 += state->v3;
    state->v1 = rotated(state->v1, 13) ^ state->v0, state->v3 = rotated(state->v3, 16) ^ state->v2;
    state->v0 = rotated(state->v0, 32);
    state->v2 += state->v1, state->v0 += state->v3;
    state->v1 = rotated(state->v1, 17) ^ state->v2, state->v3 = rotated(state->v3, 21) ^ state->v0;
    state->v2 = rotated(state->v2, 32);
}

static inline void add_word(SipState *state, uint64_t word)
{
    state->v3 ^= word;
    mix(state);
    state->v0 ^= word;
}

uint64_t keyed_hash(const HashKey *key, uint64_t about, const char *text, size_t length)
{
    SipState state = {key->words[0] ^ 0x736f6d6570736575u, key->words[1] ^ 0x646f72616e646f6du,
                      key->words[0] ^ 0x6c7967656e657261u, key->words[1] ^ 0x7465646279746573u};
    uint64_t word, last = (uint64_t)(length + sizeof about) << 56;
    add_word(&state, about);
    for (; length >= sizeof word; text += sizeof word, length -= sizeof word) {
        memcpy(&word, text, sizeof word);
        add_word(&state, word);
    }
    for (size_t at = 0; at < length; at++)
        last |= (uint64_t)(unsigned char)text[at] << 8 * at;
    add_word(&state, last);
    state.v2 ^= 0xff;
    mix(&state);
    mix(&state);
    mix(&state);
    return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}
