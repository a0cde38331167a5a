// Runs a command and measures the most memory that it has at one time.
//
//   peak-memory COMMAND [ARGUMENT…]
//
// The last line on standard output is the number of bytes; the exit code is that of the command. The memory of a
// process counts that of its parent before it started, so this program is small, and tests do not measure theirs.

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

var arguments = unsafe CommandLine.unsafeArgv + 1
guard let command = unsafe arguments.pointee else { exit(64) }
#if canImport(Glibc)
  var child = pid_t()
  var actions = unsafe posix_spawn_file_actions_t()
#else
  var child = pid_t()
  var actions: posix_spawn_file_actions_t?
#endif
unsafe posix_spawn_file_actions_init(&actions)
// Only the number is on standard output.
unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
guard unsafe posix_spawn(&child, command, &actions, nil, arguments, environ) == 0 else { exit(127) }
var (status, usage) = (Int32(0), rusage())
guard unsafe wait4(child, &status, 0, &usage) == child else { exit(127) }
#if canImport(Glibc)
  print(usage.ru_maxrss * 1024)
#else
  print(usage.ru_maxrss)
#endif
exit(status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
