#ifndef REALM_CLI_CSYSTEM_WRITEBACK_H
#define REALM_CLI_CSYSTEM_WRITEBACK_H

#include <stdint.h>

// Asks the system to start writing the `count` bytes at `offset` of a file to the disk, without waiting,
// so that a later fsync has less to do. Does nothing on systems without such a call.
void csystem_start_writeback(int descriptor, int64_t offset, int64_t count);

#endif
