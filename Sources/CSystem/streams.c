#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int csystem_open_standard_streams(void) {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // Input can only be written, and output only be read. A new descriptor has the lowest free number.
    int mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", mode) != descriptor) return -1;
  }
  return 0;
}
