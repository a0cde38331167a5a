#ifndef REALM_CLI_IMITATED_COMMONRANDOM_H
#define REALM_CLI_IMITATED_COMMONRANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t CCRNGStatus;

CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count);

#endif
