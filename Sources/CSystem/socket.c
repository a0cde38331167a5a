#include "socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

enum {
  // Connections that wait to be accepted.
  BACKLOG = 512,
  // How long a closed connection takes what the other side still sends, in milliseconds.
  CLOSING_TIME = 3000
};

static int close_with_error(int descriptor) {
  int number = errno;
  close(descriptor);
  errno = number;
  return -1;
}

int csystem_listen(uint16_t *port) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (listener < 0) return -1;
  int on = 1;
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons(*port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (fcntl(listener, F_SETFD, FD_CLOEXEC) != 0 || fcntl(listener, F_SETFL, O_NONBLOCK) != 0
      || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0
      || bind(listener, (struct sockaddr *)&address, size) != 0
      || listen(listener, BACKLOG) != 0
      || getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
    return close_with_error(listener);
  }
  *port = ntohs(address.sin_port);
  return listener;
}

int csystem_accept(int listener, int seconds) {
  int connection;
  do {
    connection = accept(listener, NULL, NULL);
  } while (connection < 0 && (errno == EINTR || errno == ECONNABORTED));
  if (connection < 0) return -1;
  int on = 1;
  struct timeval wait = {.tv_sec = seconds};
  // Some systems pass the flag of the listener on.
  if (fcntl(connection, F_SETFD, FD_CLOEXEC) != 0 || fcntl(connection, F_SETFL, 0) != 0
      || setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait) != 0) {
    return close_with_error(connection);
  }
  // Without this, the second packet of a response waits for the acknowledgement of the first one.
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#ifdef SO_NOSIGPIPE
  setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  return connection;
}

ptrdiff_t csystem_receive(int socket, void *buffer, size_t size, int milliseconds) {
  struct pollfd wait = {.fd = socket, .events = POLLIN};
  int ready = poll(&wait, 1, milliseconds);
  if (ready == 0 || (ready < 0 && errno == EINTR)) {
    errno = ETIMEDOUT;
    return -1;
  }
  return ready < 0 ? -1 : recv(socket, buffer, size, MSG_DONTWAIT);
}

int csystem_send(int socket, const void *buffer, size_t size) {
  const char *next = buffer;
  while (size > 0) {
    ssize_t count = send(socket, next, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return -1;
    next += count;
    size -= (size_t)count;
  }
  return 0;
}

int csystem_is_closed(int socket) {
  char byte;
  ssize_t count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static long long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

void csystem_close_socket(int socket, int waits) {
  // Closing with unread input resets the connection, and the other side may then lose the response. A browser that
  // sends a file reads the response only behind it.
  char rest[65536];
  shutdown(socket, SHUT_WR);
  long long end = milliseconds() + CLOSING_TIME;
  while (waits && milliseconds() < end && csystem_receive(socket, rest, sizeof rest, 200) > 0) {
  }
  close(socket);
}
