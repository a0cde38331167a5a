#ifndef REALM_CLI_CSYSTEM_WRITEBACK_H
#define REALM_CLI_CSYSTEM_WRITEBACK_H

#include <stdint.h>

// Lets the system start to write `count` bytes of a file from `offset` on to the disk, without waiting
// for it: a later fsync then has less to do. No more than a hint; nothing where there is no such call.
void csystem_start_writeback(int descriptor, int64_t offset, int64_t count);

#endif
