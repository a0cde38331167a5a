#ifndef REALM_CLI_CSYSTEM_SOCKET_H
#define REALM_CLI_CSYSTEM_SOCKET_H

#include <stddef.h>
#include <stdint.h>

// Listens for TCP connections to 127.0.0.1 at `*port`; 0 takes any free port. Stores the port in `port`.
//
// Returns a descriptor that does not block, or -1 with errno.
int csystem_listen(uint16_t *port);

// Accepts a connection to `listener`. Sending waits at most `seconds` for a reader, and never raises SIGPIPE.
//
// Returns a descriptor, or -1 with errno; EAGAIN if no connection waits.
int csystem_accept(int listener, int seconds);

// Receives up to `size` bytes into `buffer`, and waits at most `milliseconds` for the first one.
//
// Returns the number of bytes; 0 if the other side closed the connection; -1 with errno, ETIMEDOUT if nothing came.
ptrdiff_t csystem_receive(int socket, void *buffer, size_t size, int milliseconds);

// Sends all bytes of `buffer`. Returns 0, or -1 with errno if the other side went away or does not read.
int csystem_send(int socket, const void *buffer, size_t size);

// Whether the other side closed the connection or reset it. Does not wait.
int csystem_is_closed(int socket);

// Ends sending and closes the descriptor. With `waits`, first waits a few seconds at most until the other side has
// received everything.
void csystem_close_socket(int socket, int waits);

#endif
