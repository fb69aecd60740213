/* The input is the length of a key in one byte, the key, and what is signed: as a token that a client sends. */

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdint.h>
#include <string.h>

#include "common/tracking/token_mac.h"
#include "tests/fuzz/targets/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    size_t key_length = data[0] < size - 1 ? data[0] : size - 1;
    const unsigned char *secret = data + 1, *raw = secret + key_length;
    size_t length = size - 1 - key_length;
    unsigned char found[MAC_BYTES], expected[MAC_BYTES];
    MacKey key;
    prepare_mac_key(&key, secret, key_length);
    make_mac(&key, raw, length, found);
    REQUIRE(HMAC(EVP_sha512(), secret, (int)key_length, raw, length, expected, NULL));
    REQUIRE(!memcmp(found, expected, MAC_BYTES));

    size_t taken = length - length % 3;
    unsigned char back[MAC_BYTES];
    char text[4 * MAC_BYTES / 3];
    taken = taken < TAG_BYTES ? taken : TAG_BYTES;
    char *end = put_base64url(text, raw, taken);
    REQUIRE(end == text + taken / 3 * 4);
    for (char *at = text; at < end; at++)
        *at = *at == '-' ? '+' : *at == '_' ? '/' : *at;
    REQUIRE(EVP_DecodeBlock(back, (unsigned char *)text, (int)(end - text)) == (int)taken);
    REQUIRE(!memcmp(back, raw, taken));
    return 0;
}
