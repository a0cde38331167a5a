#ifndef REALM_CLI_IMITATED_COMMONCRYPTO_H
#define REALM_CLI_IMITATED_COMMONCRYPTO_H

// The declarations of Apple's CommonCrypto that Sources/CCipher/commoncrypto.c uses, for systems without it.
// imitation.c has the functions, over libcrypto. Values and sizes are those of Apple's headers.

#include <stddef.h>
#include <stdint.h>

typedef int32_t CCCryptorStatus;
enum { kCCSuccess = 0, kCCParamError = -4300, kCCUnimplemented = -4305, kCCUnspecifiedError = -4308 };

typedef uint32_t CCOperation;
enum { kCCEncrypt = 0, kCCDecrypt = 1 };

typedef uint32_t CCAlgorithm;
enum { kCCAlgorithmAES = 0 };

typedef uint32_t CCMode;
enum { kCCModeCBC = 2, kCCModeCTR = 4 };

typedef uint32_t CCPadding;
enum { ccNoPadding = 0 };

typedef uint32_t CCModeOptions;
enum { kCCModeOptionCTR_BE = 2 };

enum { kCCKeySizeAES256 = 32 };

typedef struct _CCCryptor *CCCryptorRef;

CCCryptorStatus CCCryptorCreateWithMode(
    CCOperation operation, CCMode mode, CCAlgorithm algorithm, CCPadding padding, const void *vector,
    const void *key, size_t key_length, const void *tweak, size_t tweak_length, int rounds,
    CCModeOptions options, CCCryptorRef *cryptor);
CCCryptorStatus CCCryptorRelease(CCCryptorRef cryptor);
CCCryptorStatus CCCryptorReset(CCCryptorRef cryptor, const void *vector);
CCCryptorStatus CCCryptorUpdate(
    CCCryptorRef cryptor, const void *input, size_t input_length, void *output,
    size_t output_available, size_t *output_moved);

typedef uint32_t CCHmacAlgorithm;
enum { kCCHmacAlgSHA256 = 2, kCCHmacAlgSHA224 = 5 };

typedef struct {
  uint32_t ctx[96];
} CCHmacContext;

void CCHmacInit(
    CCHmacContext *context, CCHmacAlgorithm algorithm, const void *key, size_t key_length);
void CCHmacUpdate(CCHmacContext *context, const void *data, size_t length);
void CCHmacFinal(CCHmacContext *context, void *code);

typedef uint32_t CC_LONG;

typedef struct {
  CC_LONG count[2];
  CC_LONG hash[8];
  CC_LONG wbuf[16];
} CC_SHA256_CTX;

int CC_SHA256_Init(CC_SHA256_CTX *context);
int CC_SHA256_Update(CC_SHA256_CTX *context, const void *data, CC_LONG length);
int CC_SHA256_Final(unsigned char *digest, CC_SHA256_CTX *context);

typedef struct {
  CC_LONG h0, h1, h2, h3, h4;
  CC_LONG Nl, Nh;
  CC_LONG data[16];
  int num;
} CC_SHA1_CTX;

int CC_SHA1_Init(CC_SHA1_CTX *context);
int CC_SHA1_Update(CC_SHA1_CTX *context, const void *data, CC_LONG length);
int CC_SHA1_Final(unsigned char *digest, CC_SHA1_CTX *context);

#endif
