#ifndef REALM_CLI_CSYSTEM_PROCESS_H
#define REALM_CLI_CSYSTEM_PROCESS_H

#include <stddef.h>

// Runs `command` with /bin/sh -c and stores up to `size` bytes of its standard output in `buffer`,
// their number in `count`; what it prints beyond them is lost to it as a closed pipe.
//
// The command gets `variable` ("NAME=value") in its environment besides that of this process, and
// the standard input and error of this process.
//
// Returns its exit status as a shell gives it (128 and the signal's number where a signal ended
// it), or -1 where it could not be started.
int csystem_capture(
    const char *command, const char *variable, void *buffer, size_t size, size_t *count);

// Number of processors that work can be spread over, at least 1.
int csystem_processors(void);

#endif
