#ifndef REALM_CLI_CSYSTEM_STREAMS_H
#define REALM_CLI_CSYSTEM_STREAMS_H

// Opens those of the standard streams that the parent process closed, so that no file that is opened later gets their
// numbers and what is meant for a stream. Using such a stream fails, as it does while it is closed.
//
// Returns -1 if a stream cannot be opened.
int csystem_open_standard_streams(void);

#endif
