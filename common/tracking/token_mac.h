/*
 * The MAC of a token and its text: HMAC-SHA-512 (FIPS 180-4, 6.4; RFC 2104) and base64url (RFC 4648, 5), for
 * `token_hmac.c` and other C code that signs. No Python object is involved.
 */

#ifndef PLACARD_TOKEN_MAC_H
#define PLACARD_TOKEN_MAC_H

#include <stddef.h>
#include <stdint.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Placard's C code stores numbers in the order of little-endian processors. Run from source without PLACARD_COMPILED."
#endif

#define MAC_BLOCK_BYTES 128
#define MAC_BYTES 64
#define TAG_BYTES 21
#define MAC_KEY_CAPSULE "common.tracking.token_hmac key"
/* The name of the capsule that holds a `MacKey`. */

typedef struct {
    uint64_t words[8];
} HashState;

typedef struct {
    HashState inner, outer;
} MacKey; /* HMAC's two hashes after their first block */

void prepare_mac_key(MacKey *key, const unsigned char *secret, size_t length);

/* Writes the `MAC_BYTES` of HMAC-SHA-512 to *mac*. */
void make_mac(const MacKey *key, const unsigned char *raw, size_t length, unsigned char *mac);

/* Writes the base64url text of *raw*. *length*: a multiple of three. Returns the end of the text. */
char *put_base64url(char *to, const unsigned char *raw, size_t length);

#endif
