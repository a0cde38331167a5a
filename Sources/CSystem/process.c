#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Returns the environment of this process, with `variable` added or replaced. The caller frees the
// array, but not the strings.
static char **environment_with(const char *variable) {
  size_t name = strcspn(variable, "=") + 1;
  size_t count = 0;
  while (environ[count] != NULL) count++;
  char **result = calloc(count + 2, sizeof(char *));
  if (result == NULL) return NULL;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (strncmp(environ[i], variable, name) != 0) result[kept++] = environ[i];
  }
  result[kept] = (char *)variable;
  return result;
}

static int start(pid_t *process, const char *command, char **environment, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&actions) != 0) return -1;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return -1;
  }
  // This process ignores SIGPIPE, but shell scripts expect the default action.
  sigset_t ordinary;
  sigemptyset(&ordinary);
  sigaddset(&ordinary, SIGPIPE);
  char *arguments[] = {"/bin/sh", "-c", (char *)command, NULL};
  int failed = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) != 0
      || posix_spawnattr_setsigdefault(&attributes, &ordinary) != 0
      || posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF) != 0
      || posix_spawn(process, "/bin/sh", &actions, &attributes, arguments, environment) != 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed ? -1 : 0;
}

int csystem_capture(
    const char *command, const char *variable, void *buffer, size_t size, size_t *count) {
  *count = 0;
  int ends[2];
  if (pipe(ends) != 0) return -1;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);

  pid_t process = 0;
  char **environment = environment_with(variable);
  int started = environment != NULL && start(&process, command, environment, ends[1]) == 0;
  free(environment);
  close(ends[1]);
  while (started && *count < size) {
    ssize_t got = read(ends[0], (char *)buffer + *count, size - *count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    *count += (size_t)got;
  }
  close(ends[0]);
  if (!started) return -1;

  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int csystem_processors(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
}
