#ifndef __APPLE__

#include "imitation/CommonCrypto/CommonCrypto.h"
#include "imitation/CommonCrypto/CommonRandom.h"

// The functions with states that can be copied, like those of CommonCrypto.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

// Ciphers

struct _CCCryptor {
  EVP_CIPHER_CTX *context;
  CCMode mode;
};

CCCryptorStatus CCCryptorCreateWithMode(
    CCOperation operation, CCMode mode, CCAlgorithm algorithm, CCPadding padding, const void *vector,
    const void *key, size_t key_length, const void *tweak, size_t tweak_length, int rounds,
    CCModeOptions options, CCCryptorRef *cryptor) {
  (void)tweak;
  if (algorithm != kCCAlgorithmAES || padding != ccNoPadding || key_length != kCCKeySizeAES256
      || tweak_length != 0 || rounds != 0
      || options != (mode == kCCModeCTR ? (CCModeOptions)kCCModeOptionCTR_BE : 0)) {
    return kCCParamError;
  }
  const uint8_t zeros[16] = {0};
  const EVP_CIPHER *cipher = mode == kCCModeCTR ? EVP_aes_256_ctr() : EVP_aes_256_cbc();
  CCCryptorRef made = calloc(1, sizeof *made);
  made->mode = mode;
  made->context = EVP_CIPHER_CTX_new();
  EVP_CipherInit_ex(
      made->context, cipher, NULL, key, vector != NULL ? vector : zeros, operation == kCCEncrypt);
  EVP_CIPHER_CTX_set_padding(made->context, 0);
  *cryptor = made;
  return kCCSuccess;
}

CCCryptorStatus CCCryptorRelease(CCCryptorRef cryptor) {
  EVP_CIPHER_CTX_free(cryptor->context);
  free(cryptor);
  return kCCSuccess;
}

CCCryptorStatus CCCryptorReset(CCCryptorRef cryptor, const void *vector) {
  if (cryptor->mode != kCCModeCBC) return kCCUnimplemented;
  EVP_CipherInit_ex(cryptor->context, NULL, NULL, NULL, vector, -1);
  return kCCSuccess;
}

CCCryptorStatus CCCryptorUpdate(
    CCCryptorRef cryptor, const void *input, size_t input_length, void *output,
    size_t output_available, size_t *output_moved) {
  if (output_available < input_length) return kCCParamError;
  int written = 0;
  if (EVP_CipherUpdate(cryptor->context, output, &written, input, (int)input_length) != 1) {
    return kCCUnspecifiedError;
  }
  *output_moved = (size_t)written;
  return kCCSuccess;
}

// HMAC, as RFC 2104 describes it

struct hmac {
  SHA256_CTX inner;
  SHA256_CTX outer;
  CCHmacAlgorithm algorithm;
};

_Static_assert(sizeof(struct hmac) <= sizeof(CCHmacContext), "the state fits");
_Static_assert(sizeof(SHA256_CTX) <= sizeof(CCHmacContext), "the state fits");

static void begin(SHA256_CTX *state, CCHmacAlgorithm algorithm) {
  if (algorithm == kCCHmacAlgSHA224) {
    SHA224_Init(state);
  } else {
    SHA256_Init(state);
  }
}

void CCHmacInit(
    CCHmacContext *context, CCHmacAlgorithm algorithm, const void *key, size_t key_length) {
  uint8_t inner[64] = {0}, outer[64];
  struct hmac hmac;
  if (key_length > sizeof inner) {
    begin(&hmac.inner, algorithm);
    SHA256_Update(&hmac.inner, key, key_length);
    SHA256_Final(inner, &hmac.inner);
  } else {
    memcpy(inner, key, key_length);
  }
  for (int i = 0; i < 64; i++) {
    outer[i] = inner[i] ^ 0x5C;
    inner[i] ^= 0x36;
  }
  hmac.algorithm = algorithm;
  begin(&hmac.inner, algorithm);
  SHA256_Update(&hmac.inner, inner, sizeof inner);
  begin(&hmac.outer, algorithm);
  SHA256_Update(&hmac.outer, outer, sizeof outer);
  memcpy(context, &hmac, sizeof hmac);
}

void CCHmacUpdate(CCHmacContext *context, const void *data, size_t length) {
  struct hmac hmac;
  memcpy(&hmac, context, sizeof hmac);
  SHA256_Update(&hmac.inner, data, length);
  memcpy(context, &hmac, sizeof hmac);
}

void CCHmacFinal(CCHmacContext *context, void *code) {
  struct hmac hmac;
  uint8_t digest[32];
  size_t length;
  memcpy(&hmac, context, sizeof hmac);
  length = hmac.algorithm == kCCHmacAlgSHA224 ? 28 : 32;
  SHA256_Final(digest, &hmac.inner);
  SHA256_Update(&hmac.outer, digest, length);
  SHA256_Final(digest, &hmac.outer);
  memcpy(code, digest, length);
}

// Digests. The state of a SHA-256 in libcrypto has two numbers more, which follow from the others.

static SHA256_CTX unpacked(const CC_SHA256_CTX *context) {
  SHA256_CTX state = {
      .Nl = context->count[0],
      .Nh = context->count[1],
      .num = context->count[0] / 8 % 64,
      .md_len = SHA256_DIGEST_LENGTH,
  };
  memcpy(state.h, context->hash, sizeof state.h);
  memcpy(state.data, context->wbuf, sizeof state.data);
  return state;
}

static void pack(CC_SHA256_CTX *context, const SHA256_CTX *state) {
  context->count[0] = state->Nl;
  context->count[1] = state->Nh;
  memcpy(context->hash, state->h, sizeof state->h);
  memcpy(context->wbuf, state->data, sizeof state->data);
}

int CC_SHA256_Init(CC_SHA256_CTX *context) {
  SHA256_CTX state;
  SHA256_Init(&state);
  pack(context, &state);
  return 1;
}

int CC_SHA256_Update(CC_SHA256_CTX *context, const void *data, CC_LONG length) {
  SHA256_CTX state = unpacked(context);
  SHA256_Update(&state, data, length);
  pack(context, &state);
  return 1;
}

int CC_SHA256_Final(unsigned char *digest, CC_SHA256_CTX *context) {
  SHA256_CTX state = unpacked(context);
  return SHA256_Final(digest, &state);
}

_Static_assert(sizeof(CC_SHA1_CTX) == sizeof(SHA_CTX), "the states are alike");

int CC_SHA1_Init(CC_SHA1_CTX *context) { return SHA1_Init((SHA_CTX *)context); }

int CC_SHA1_Update(CC_SHA1_CTX *context, const void *data, CC_LONG length) {
  return SHA1_Update((SHA_CTX *)context, data, length);
}

int CC_SHA1_Final(unsigned char *digest, CC_SHA1_CTX *context) {
  return SHA1_Final(digest, (SHA_CTX *)context);
}

CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count) {
  return RAND_bytes(bytes, (int)count) == 1 ? kCCSuccess : kCCUnspecifiedError;
}

#endif
