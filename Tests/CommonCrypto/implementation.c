#ifndef __APPLE__

// Compiles the implementation for Apple's systems under names of its own, with CommonCrypto imitated.
#define REALM_CLI_IMITATED_COMMONCRYPTO
#define ccipher_pages_new commoncrypto_pages_new
#define ccipher_pages_free commoncrypto_pages_free
#define ccipher_pages_convert commoncrypto_pages_convert
#define ccipher_stream_new commoncrypto_stream_new
#define ccipher_stream_free commoncrypto_stream_free
#define ccipher_stream_start commoncrypto_stream_start
#define ccipher_stream_apply commoncrypto_stream_apply
#define ccipher_code_new commoncrypto_code_new
#define ccipher_code_free commoncrypto_code_free
#define ccipher_code_make commoncrypto_code_make
#define ccipher_digest_new commoncrypto_digest_new
#define ccipher_digest_free commoncrypto_digest_free
#define ccipher_digest_restart commoncrypto_digest_restart
#define ccipher_digest_update commoncrypto_digest_update
#define ccipher_digest_finish commoncrypto_digest_finish
#define ccipher_sha1 commoncrypto_sha1
#define ccipher_random commoncrypto_random

#include "../../Sources/CCipher/commoncrypto.c"

// After the interface of CCipher, so that the compiler compares the declarations.
#include "include/commoncrypto.h"

#endif
