#include "platform.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if __APPLE__
#include <mach-o/dyld.h>
#endif

const char *csystem_lock_table(void) {
#if __linux__
  return csystem_is_portable() ? NULL : "/proc/locks";
#else
  return NULL;
#endif
}

void csystem_program_name(pid_t process, char *buffer, size_t size) {
  buffer[0] = 0;
#if __linux__
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t count = read(file, buffer, size - 1);
  close(file);
  buffer[count < 0 ? 0 : count] = 0;
  buffer[strcspn(buffer, "\n")] = 0;
#else
  (void)process, (void)size;
#endif
}

int csystem_own_path(char *buffer, size_t size) {
#if __APPLE__
  uint32_t room = (uint32_t)size;
  return _NSGetExecutablePath(buffer, &room) == 0 ? 0 : -1;
#else
  ssize_t count = readlink("/proc/self/exe", buffer, size);
  if (count < 0 || (size_t)count >= size) return -1;
  buffer[count] = 0;
  return 0;
#endif
}

const char *csystem_name(void) {
#if __APPLE__
  return "macOS";
#else
  return "Linux";
#endif
}

const char *csystem_url_opener(void) {
#if __APPLE__
  return "open";
#else
  return getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL ? "xdg-open" : NULL;
#endif
}
