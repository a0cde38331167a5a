#ifndef REALM_CLI_CSYSTEM_WRITEBACK_H
#define REALM_CLI_CSYSTEM_WRITEBACK_H

#include <stdint.h>

// Makes the system start writing `count` bytes of a file from `offset` on to the disk, without
// waiting, so that a later fsync has less to do. Only a hint; does nothing on systems without such
// a call.
void csystem_start_writeback(int descriptor, int64_t offset, int64_t count);

#endif
