#ifndef REALM_CLI_COMMONCRYPTO_H
#define REALM_CLI_COMMONCRYPTO_H

// The functions of Sources/CCipher/include/ccipher.h, as commoncrypto.c implements them.

#include "ccipher.h"

ccipher_pages *commoncrypto_pages_new(const uint8_t *key, int encrypts);
void commoncrypto_pages_free(ccipher_pages *pages);
int commoncrypto_pages_convert(
    ccipher_pages *pages, const uint8_t *vector, const void *input, void *output, size_t count);
ccipher_stream *commoncrypto_stream_new(const uint8_t *key);
void commoncrypto_stream_free(ccipher_stream *stream);
int commoncrypto_stream_start(ccipher_stream *stream, const uint8_t *counter);
int commoncrypto_stream_apply(ccipher_stream *stream, const void *input, void *output, size_t count);
ccipher_code *commoncrypto_code_new(enum ccipher_code_digest digest, const uint8_t *key, size_t count);
void commoncrypto_code_free(ccipher_code *code);
int commoncrypto_code_make(ccipher_code *code, const void *message, size_t count, uint8_t *result);
ccipher_digest *commoncrypto_digest_new(void);
void commoncrypto_digest_free(ccipher_digest *digest);
int commoncrypto_digest_restart(ccipher_digest *digest);
int commoncrypto_digest_update(ccipher_digest *digest, const void *bytes, size_t count);
int commoncrypto_digest_finish(ccipher_digest *digest, uint8_t *result);
int commoncrypto_sha1(const void *bytes, size_t count, uint8_t *result);
int commoncrypto_random(uint8_t *bytes, size_t count);

#endif
