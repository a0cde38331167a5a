#define _GNU_SOURCE
#include "process.h"
#include "platform/targets.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

// Starts the program at `path`. `input` and `output` become its standard input and output, unless they are -1.
static int start(
    pid_t *process, const char *path, char *const arguments[], char **environment, int input,
    int output) {
#if CSYSTEM_STARTS_PROGRAMS
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&actions) != 0) return -1;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return -1;
  }
  // This process ignores SIGPIPE and may handle SIGINT, but programs expect the default actions.
  sigset_t ordinary;
  sigemptyset(&ordinary);
  sigaddset(&ordinary, SIGPIPE);
  int failed = (input >= 0 && posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) != 0)
      || (output >= 0
          && posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) != 0)
      || posix_spawnattr_setsigdefault(&attributes, &ordinary) != 0
      || posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF) != 0
      || posix_spawn(process, path, &actions, &attributes, arguments, environment) != 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed ? -1 : 0;
#else
  (void)process, (void)path, (void)arguments, (void)environment, (void)input, (void)output;
  errno = ENOTSUP;
  return -1;
#endif
}

// Starts `command` with /bin/sh -c, with `variable` added to the environment.
static int start_shell(
    pid_t *process, const char *command, const char *variable, int input, int output) {
  char *arguments[] = {"/bin/sh", "-c", (char *)command, NULL};
  char **environment = environment_with(variable);
  int result = environment == NULL
      ? -1 : start(process, "/bin/sh", arguments, environment, input, output);
  free(environment);
  return result;
}

// Opens a pipe whose ends other programs do not inherit.
static int open_pipe(int ends[2]) {
  if (pipe(ends) != 0) return -1;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return 0;
}

int csystem_wait(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int csystem_capture(
    const char *command, const char *variable, void *buffer, size_t size, size_t *count) {
  *count = 0;
  int ends[2];
  if (open_pipe(ends) != 0) return -1;

  pid_t process = 0;
  int started = start_shell(&process, command, variable, -1, ends[1]) == 0;
  close(ends[1]);
  while (started && *count < size) {
    ssize_t got = read(ends[0], (char *)buffer + *count, size - *count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    *count += (size_t)got;
  }
  close(ends[0]);
  return started ? csystem_wait(process) : -1;
}

pid_t csystem_start_reader(const char *command, const char *variable, int *input) {
  int ends[2];
  if (open_pipe(ends) != 0) return -1;
  pid_t process = 0;
  int started = start_shell(&process, command, variable, ends[0], -1) == 0;
  close(ends[0]);
  if (!started) {
    close(ends[1]);
    return -1;
  }
  *input = ends[1];
  return process;
}

int csystem_run(const char *path, char *const arguments[], int has_input) {
  pid_t process = 0;
  int input = has_input ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
  int started = (has_input || input >= 0)
      && start(&process, path, arguments, environ, input, -1) == 0;
  if (input >= 0) close(input);
  return started ? csystem_wait(process) : -1;
}

int csystem_processors(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
}

void csystem_allow_many_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max < 1 << 16 ? limit.rlim_max : 1 << 16;
  // Some systems allow fewer than the hard limit says.
  while (limit.rlim_cur > before && setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur /= 2;
}
