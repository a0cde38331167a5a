#ifndef __APPLE__

#include "ccipher.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <stdlib.h>

// Bytes that libcrypto gets at once; it counts them as 32-bit numbers. Whole blocks.
enum { AT_ONCE = 1 << 30 };

static EVP_CIPHER_CTX *cipher(const EVP_CIPHER *algorithm, const uint8_t *key, int encrypts) {
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  if (context != NULL && EVP_CipherInit_ex(context, algorithm, NULL, key, NULL, encrypts) == 1
      && EVP_CIPHER_CTX_set_padding(context, 0) == 1) {
    return context;
  }
  EVP_CIPHER_CTX_free(context);
  return NULL;
}

static int update(EVP_CIPHER_CTX *context, const uint8_t *input, uint8_t *output, size_t count) {
  while (count > 0) {
    int part = count < AT_ONCE ? (int)count : AT_ONCE;
    int written = 0;
    if (EVP_CipherUpdate(context, output, &written, input, part) != 1 || written != part) return 0;
    input += part;
    output += part;
    count -= (size_t)part;
  }
  return 1;
}

// The objects are those of libcrypto, under names of ours.

ccipher_pages *ccipher_pages_new(const uint8_t *key, int encrypts) {
  return (ccipher_pages *)cipher(EVP_aes_256_cbc(), key, encrypts != 0);
}

void ccipher_pages_free(ccipher_pages *pages) { EVP_CIPHER_CTX_free((EVP_CIPHER_CTX *)pages); }

int ccipher_pages_convert(
    ccipher_pages *pages, const uint8_t *vector, const void *input, void *output, size_t count) {
  EVP_CIPHER_CTX *context = (EVP_CIPHER_CTX *)pages;
  // -1 keeps the direction.
  return EVP_CipherInit_ex(context, NULL, NULL, NULL, vector, -1) == 1
      && update(context, input, output, count);
}

ccipher_stream *ccipher_stream_new(const uint8_t *key) {
  return (ccipher_stream *)cipher(EVP_aes_256_ctr(), key, 1);
}

void ccipher_stream_free(ccipher_stream *stream) { EVP_CIPHER_CTX_free((EVP_CIPHER_CTX *)stream); }

int ccipher_stream_start(ccipher_stream *stream, const uint8_t *counter) {
  return EVP_EncryptInit_ex((EVP_CIPHER_CTX *)stream, NULL, NULL, NULL, counter) == 1;
}

int ccipher_stream_apply(ccipher_stream *stream, const void *input, void *output, size_t count) {
  return update((EVP_CIPHER_CTX *)stream, input, output, count);
}

ccipher_code *ccipher_code_new(enum ccipher_code_digest digest, const uint8_t *key, size_t count) {
  EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
  if (algorithm == NULL) return NULL;
  EVP_MAC_CTX *context = EVP_MAC_CTX_new(algorithm);
  EVP_MAC_free(algorithm);
  char *name = digest == ccipher_sha224_code ? "SHA224" : "SHA256";
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0), OSSL_PARAM_construct_end()};
  if (context != NULL && EVP_MAC_init(context, key, count, parameters) == 1) {
    return (ccipher_code *)context;
  }
  EVP_MAC_CTX_free(context);
  return NULL;
}

void ccipher_code_free(ccipher_code *code) { EVP_MAC_CTX_free((EVP_MAC_CTX *)code); }

int ccipher_code_make(ccipher_code *code, const void *message, size_t count, uint8_t *result) {
  EVP_MAC_CTX *context = (EVP_MAC_CTX *)code;
  size_t written = 0;
  // Without a key, this begins another code with the same one.
  return EVP_MAC_init(context, NULL, 0, NULL) == 1 && EVP_MAC_update(context, message, count) == 1
      && EVP_MAC_final(context, result, &written, ccipher_sha256_code) == 1;
}

ccipher_digest *ccipher_digest_new(void) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1) {
    return (ccipher_digest *)context;
  }
  EVP_MD_CTX_free(context);
  return NULL;
}

void ccipher_digest_free(ccipher_digest *digest) { EVP_MD_CTX_free((EVP_MD_CTX *)digest); }

int ccipher_digest_restart(ccipher_digest *digest) {
  // Without a type, the context keeps its algorithm, which takes less time than looking it up.
  return EVP_DigestInit_ex((EVP_MD_CTX *)digest, NULL, NULL) == 1;
}

int ccipher_digest_update(ccipher_digest *digest, const void *bytes, size_t count) {
  return EVP_DigestUpdate((EVP_MD_CTX *)digest, bytes, count) == 1;
}

int ccipher_digest_finish(ccipher_digest *digest, uint8_t *result) {
  return EVP_DigestFinal_ex((EVP_MD_CTX *)digest, result, NULL) == 1;
}

int ccipher_sha1(const void *bytes, size_t count, uint8_t *result) {
  return EVP_Digest(bytes, count, result, NULL, EVP_sha1(), NULL) == 1;
}

int ccipher_random(uint8_t *bytes, size_t count) {
  return count <= AT_ONCE && RAND_priv_bytes(bytes, (int)count) == 1;
}

#endif
