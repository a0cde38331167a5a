#ifndef REALM_CLI_COPENSSL_SHIM_H
#define REALM_CLI_COPENSSL_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#endif
