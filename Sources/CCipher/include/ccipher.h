#ifndef REALM_CLI_CCIPHER_H
#define REALM_CLI_CCIPHER_H

#include <stddef.h>
#include <stdint.h>

// The ciphers and digests of realms. openssl.c has them from libcrypto, commoncrypto.c from the libraries of Apple's
// systems; the build takes one of them. All objects belong to one thread at a time.
//
// Functions that return an int return 1, or 0 if the library fails. Those that make an object return NULL if it lacks
// the algorithm or there is no memory. NULL may be freed.

// AES-256 that encrypts or decrypts pages in CBC mode without padding.
typedef struct ccipher_pages ccipher_pages;

// `key` has 32 bytes.
ccipher_pages *ccipher_pages_new(const uint8_t *key, int encrypts);
void ccipher_pages_free(ccipher_pages *pages);

// Converts the `count` bytes at `input`, whole blocks of 16, to those at `output`. `vector` has 16 bytes.
int ccipher_pages_convert(
    ccipher_pages *pages, const uint8_t *vector, const void *input, void *output, size_t count);

// AES-256 in CTR mode, which encrypts and decrypts in the same way.
typedef struct ccipher_stream ccipher_stream;

// `key` has 32 bytes.
ccipher_stream *ccipher_stream_new(const uint8_t *key);
void ccipher_stream_free(ccipher_stream *stream);

// Sets the counter of the next block: 16 bytes, big-endian. The last eight must not overflow.
int ccipher_stream_start(ccipher_stream *stream, const uint8_t *counter);

// Converts the `count` bytes at `input` to those at `output`, which may be `input`.
int ccipher_stream_apply(ccipher_stream *stream, const void *input, void *output, size_t count);

// HMAC with one key.
typedef struct ccipher_code ccipher_code;

enum ccipher_code_digest { ccipher_sha224_code = 28, ccipher_sha256_code = 32 };

ccipher_code *ccipher_code_new(enum ccipher_code_digest digest, const uint8_t *key, size_t count);
void ccipher_code_free(ccipher_code *code);

// Stores the code of the `count` bytes at `message` in `result`: as many bytes as the number of the digest says.
int ccipher_code_make(ccipher_code *code, const void *message, size_t count, uint8_t *result);

// SHA-256, piece by piece.
typedef struct ccipher_digest ccipher_digest;

ccipher_digest *ccipher_digest_new(void);
void ccipher_digest_free(ccipher_digest *digest);

// Begins another digest.
int ccipher_digest_restart(ccipher_digest *digest);
int ccipher_digest_update(ccipher_digest *digest, const void *bytes, size_t count);

// Stores the 32 bytes of the digest in `result`. Only ccipher_digest_restart may follow.
int ccipher_digest_finish(ccipher_digest *digest, uint8_t *result);

// Stores the 20 bytes of the SHA-1 of the `count` bytes at `bytes` in `result`.
int ccipher_sha1(const void *bytes, size_t count, uint8_t *result);

// Fills `bytes` with random numbers for secrets.
int ccipher_random(uint8_t *bytes, size_t count);

// Overwrites `bytes` with zeros, also if the compiler sees that nobody reads them.
void ccipher_wipe(void *bytes, size_t count);

// Whether the `count` bytes at `a` and `b` are equal. Takes the same time wherever they differ.
int ccipher_is_equal(const void *a, const void *b, size_t count);

#endif
