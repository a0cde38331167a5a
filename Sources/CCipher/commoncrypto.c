// Tests on other systems compile this file with CommonCrypto imitated.
#if defined(__APPLE__) || defined(REALM_CLI_IMITATED_COMMONCRYPTO)

#include "ccipher.h"

#include <CommonCrypto/CommonCrypto.h>
#include <CommonCrypto/CommonRandom.h>
#include <stdlib.h>

enum { KEY_SIZE = kCCKeySizeAES256 };

// Bytes that a digest gets at once; it counts them as 32-bit numbers.
enum { AT_ONCE = 1 << 30 };

static int update(CCCryptorRef cryptor, const void *input, void *output, size_t count) {
  size_t written = 0;
  return CCCryptorUpdate(cryptor, input, count, output, count, &written) == kCCSuccess
      && written == count;
}

// The object is a cryptor, under a name of ours.

ccipher_pages *ccipher_pages_new(const uint8_t *key, int encrypts) {
  CCCryptorRef cryptor = NULL;
  CCOperation operation = encrypts ? kCCEncrypt : kCCDecrypt;
  if (CCCryptorCreateWithMode(
          operation, kCCModeCBC, kCCAlgorithmAES, ccNoPadding, NULL, key, KEY_SIZE, NULL, 0, 0, 0,
          &cryptor)
      != kCCSuccess) {
    return NULL;
  }
  return (ccipher_pages *)cryptor;
}

void ccipher_pages_free(ccipher_pages *pages) {
  if (pages != NULL) CCCryptorRelease((CCCryptorRef)pages);
}

int ccipher_pages_convert(
    ccipher_pages *pages, const uint8_t *vector, const void *input, void *output, size_t count) {
  CCCryptorRef cryptor = (CCCryptorRef)pages;
  return CCCryptorReset(cryptor, vector) == kCCSuccess && update(cryptor, input, output, count);
}

// CCCryptorReset is for CBC only, so another counter needs another cryptor.
struct ccipher_stream {
  uint8_t key[KEY_SIZE];
  CCCryptorRef cryptor;
};

ccipher_stream *ccipher_stream_new(const uint8_t *key) {
  ccipher_stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) return NULL;
  for (int i = 0; i < KEY_SIZE; i++) stream->key[i] = key[i];
  return stream;
}

void ccipher_stream_free(ccipher_stream *stream) {
  if (stream == NULL) return;
  if (stream->cryptor != NULL) CCCryptorRelease(stream->cryptor);
  ccipher_wipe(stream, sizeof *stream);
  free(stream);
}

int ccipher_stream_start(ccipher_stream *stream, const uint8_t *counter) {
  if (stream->cryptor != NULL) CCCryptorRelease(stream->cryptor);
  stream->cryptor = NULL;
  return CCCryptorCreateWithMode(
             kCCEncrypt, kCCModeCTR, kCCAlgorithmAES, ccNoPadding, counter, stream->key, KEY_SIZE,
             NULL, 0, 0, kCCModeOptionCTR_BE, &stream->cryptor)
      == kCCSuccess;
}

int ccipher_stream_apply(ccipher_stream *stream, const void *input, void *output, size_t count) {
  return stream->cryptor != NULL && update(stream->cryptor, input, output, count);
}

struct ccipher_code {
  // The state after the key; a code begins with a copy.
  CCHmacContext start;
};

ccipher_code *ccipher_code_new(enum ccipher_code_digest digest, const uint8_t *key, size_t count) {
  ccipher_code *code = malloc(sizeof *code);
  if (code == NULL) return NULL;
  CCHmacInit(
      &code->start, digest == ccipher_sha224_code ? kCCHmacAlgSHA224 : kCCHmacAlgSHA256, key, count);
  return code;
}

void ccipher_code_free(ccipher_code *code) {
  if (code == NULL) return;
  ccipher_wipe(code, sizeof *code);
  free(code);
}

int ccipher_code_make(ccipher_code *code, const void *message, size_t count, uint8_t *result) {
  CCHmacContext context = code->start;
  CCHmacUpdate(&context, message, count);
  CCHmacFinal(&context, result);
  ccipher_wipe(&context, sizeof context);
  return 1;
}

struct ccipher_digest {
  CC_SHA256_CTX context;
};

ccipher_digest *ccipher_digest_new(void) {
  ccipher_digest *digest = malloc(sizeof *digest);
  if (digest != NULL) CC_SHA256_Init(&digest->context);
  return digest;
}

void ccipher_digest_free(ccipher_digest *digest) { free(digest); }

int ccipher_digest_restart(ccipher_digest *digest) { return CC_SHA256_Init(&digest->context); }

int ccipher_digest_update(ccipher_digest *digest, const void *bytes, size_t count) {
  const uint8_t *next = bytes;
  while (count > 0) {
    CC_LONG part = count < AT_ONCE ? (CC_LONG)count : AT_ONCE;
    if (!CC_SHA256_Update(&digest->context, next, part)) return 0;
    next += part;
    count -= part;
  }
  return 1;
}

int ccipher_digest_finish(ccipher_digest *digest, uint8_t *result) {
  return CC_SHA256_Final(result, &digest->context);
}

int ccipher_sha1(const void *bytes, size_t count, uint8_t *result) {
  CC_SHA1_CTX context;
  const uint8_t *next = bytes;
  if (!CC_SHA1_Init(&context)) return 0;
  while (count > 0) {
    CC_LONG part = count < AT_ONCE ? (CC_LONG)count : AT_ONCE;
    if (!CC_SHA1_Update(&context, next, part)) return 0;
    next += part;
    count -= part;
  }
  return CC_SHA1_Final(result, &context);
}

int ccipher_random(uint8_t *bytes, size_t count) {
  return CCRandomGenerateBytes(bytes, count) == kCCSuccess;
}

#endif
