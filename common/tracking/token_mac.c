#define _GNU_SOURCE
#include "common/tracking/token_mac.h"

#include <string.h>

static const HashState FIRST = {{0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                 0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179}};
static const uint64_t ROUNDS[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};
static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static inline uint64_t rotated(uint64_t word, int bits)
{
    return word >> bits | word << (64 - bits);
}

/* Word *t* of the schedule, from 16 on. *w* holds the last 16 words; the new word replaces the oldest. */
static inline uint64_t next_word(uint64_t *w, int t)
{
    uint64_t early = w[(t + 1) & 15], late = w[(t + 14) & 15];
    early = rotated(early, 1) ^ rotated(early, 8) ^ early >> 7;
    late = rotated(late, 19) ^ rotated(late, 61) ^ late >> 6;
    return w[t & 15] += early + w[(t + 9) & 15] + late;
}

/*
 * One round of FIPS 180-4, 6.4.2. It changes *d* and *h*, and the next round takes the eight words in another order:
 * that replaces the moves of all words by one place. Choice and majority are written with one operation less.
 */
#define ROUND(a, b, c, d, e, f, g, h, t, word) \
    do { \
        uint64_t first = (h) + (rotated(e, 14) ^ rotated(e, 18) ^ rotated(e, 41)) + ((g) ^ ((e) & ((f) ^ (g)))) + \
                         ROUNDS[t] + (word); \
        (d) += first; \
        (h) = first + (rotated(a, 28) ^ rotated(a, 34) ^ rotated(a, 39)) + ((b) ^ (((a) ^ (b)) & ((b) ^ (c)))); \
    } while (0)

#define EIGHT_ROUNDS(t, word) \
    ROUND(a, b, c, d, e, f, g, h, t, word(t)); \
    ROUND(h, a, b, c, d, e, f, g, t + 1, word(t + 1)); \
    ROUND(g, h, a, b, c, d, e, f, t + 2, word(t + 2)); \
    ROUND(f, g, h, a, b, c, d, e, t + 3, word(t + 3)); \
    ROUND(e, f, g, h, a, b, c, d, t + 4, word(t + 4)); \
    ROUND(d, e, f, g, h, a, b, c, t + 5, word(t + 5)); \
    ROUND(c, d, e, f, g, h, a, b, t + 6, word(t + 6)); \
    ROUND(b, c, d, e, f, g, h, a, t + 7, word(t + 7))

#define GIVEN(t) w[t]
#define NEXT(t) next_word(w, t)

static void add_block(HashState *hash, const unsigned char *block)
{
    uint64_t w[16], *s = hash->words;
    for (int t = 0; t < 16; t++) {
        memcpy(&w[t], block + 8 * t, 8);
        w[t] = __builtin_bswap64(w[t]);
    }
    uint64_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
    EIGHT_ROUNDS(0, GIVEN);
    EIGHT_ROUNDS(8, GIVEN);
    for (int t = 16; t < 80; t += 16) {
        EIGHT_ROUNDS(t, NEXT);
        EIGHT_ROUNDS(t + 8, NEXT);
    }
    s[0] += a, s[1] += b, s[2] += c, s[3] += d, s[4] += e, s[5] += f, s[6] += g, s[7] += h;
}

/* Hashes the rest and finishes; *before* bytes are already in the hash. */
static void finish_hash(HashState hash, const unsigned char *raw, size_t length, size_t before, unsigned char *digest)
{
    unsigned char last[2 * MAC_BLOCK_BYTES] = {0};
    uint64_t bits = __builtin_bswap64(8 * (uint64_t)(before + length));
    for (; length >= MAC_BLOCK_BYTES; raw += MAC_BLOCK_BYTES, length -= MAC_BLOCK_BYTES)
        add_block(&hash, raw);
    memcpy(last, raw, length);
    last[length] = 0x80;
    int blocks = length < MAC_BLOCK_BYTES - 16 ? 1 : 2;
    memcpy(last + blocks * MAC_BLOCK_BYTES - 8, &bits, 8);
    for (int block = 0; block < blocks; block++)
        add_block(&hash, last + block * MAC_BLOCK_BYTES);
    for (int t = 0; t < 8; t++) {
        uint64_t word = __builtin_bswap64(hash.words[t]);
        memcpy(digest + 8 * t, &word, 8);
    }
    if (!before) /* what was hashed is a secret */
        explicit_bzero(last, sizeof last);
}

void prepare_mac_key(MacKey *key, const unsigned char *secret, size_t length)
{
    unsigned char block[MAC_BLOCK_BYTES] = {0}, padded[MAC_BLOCK_BYTES];
    if (length > MAC_BLOCK_BYTES)
        finish_hash(FIRST, secret, length, 0, block);
    else
        memcpy(block, secret, length);
    key->inner = key->outer = FIRST;
    for (int at = 0; at < MAC_BLOCK_BYTES; at++)
        padded[at] = block[at] ^ 0x36;
    add_block(&key->inner, padded);
    for (int at = 0; at < MAC_BLOCK_BYTES; at++)
        padded[at] = block[at] ^ 0x5c;
    add_block(&key->outer, padded);
    explicit_bzero(block, sizeof block);
    explicit_bzero(padded, sizeof padded);
}

void make_mac(const MacKey *key, const unsigned char *raw, size_t length, unsigned char *mac)
{
    unsigned char inner[MAC_BYTES];
    finish_hash(key->inner, raw, length, MAC_BLOCK_BYTES, inner);
    finish_hash(key->outer, inner, MAC_BYTES, MAC_BLOCK_BYTES, mac);
}

char *put_base64url(char *to, const unsigned char *raw, size_t length)
{
    for (; length > 0; raw += 3, length -= 3) {
        uint32_t three = (uint32_t)raw[0] << 16 | (uint32_t)raw[1] << 8 | raw[2];
        *to++ = ALPHABET[three >> 18];
        *to++ = ALPHABET[three >> 12 & 63];
        *to++ = ALPHABET[three >> 6 & 63];
        *to++ = ALPHABET[three & 63];
    }
    return to;
}
