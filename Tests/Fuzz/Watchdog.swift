import Foundation

/// Prints the seed when the process ends during a mutation: by a trap, by a fault, or because
/// a step takes too long.
enum Watchdog {
  private static let capacity = 1024
  /// The line of the signal handler; changed between mutations only.
  private nonisolated(unsafe) static let line = UnsafeMutablePointer<UInt8>.allocate(
    capacity: capacity)
  private nonisolated(unsafe) static var count = 0

  /// Installs the handlers with their own stack, as the ordinary one may be full.
  static func install() {
    describe("")
    let size = 1 << 16
    var stack = unsafe stack_t()
    unsafe stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    unsafe stack.ss_size = numericCast(size)
    _ = unsafe sigaltstack(&stack, nil)
    var action = sigaction()
    #if os(Linux)
      unsafe action.__sigaction_handler.sa_handler = { Watchdog.report($0) }
    #else
      unsafe action.__sigaction_u.__sa_handler = { Watchdog.report($0) }
    #endif
    action.sa_flags = Int32(SA_ONSTACK)
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGALRM, SIGPROF] {
      _ = unsafe sigaction(number, &action, nil)
    }
    // A process inherits the signals that the starting thread blocked: the alarm never came.
    var alarms = sigset_t()
    unsafe sigemptyset(&alarms)
    unsafe sigaddset(&alarms, SIGALRM)
    unsafe sigaddset(&alarms, SIGPROF)
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &alarms, nil)
  }

  private static func report(_ number: Int32) {
    let isLate = number == SIGALRM || number == SIGPROF
    let reason: StaticString = isLate ? " takes too long\n" : " ends in a signal\n"
    _ = unsafe write(STDERR_FILENO, line, count)
    _ = unsafe write(STDERR_FILENO, reason.utf8Start, reason.utf8CodeUnitCount)
    _exit(128 + number)
  }

  /// The current step, for the line: `seed 5 (people.realm, export)`.
  static func describe(_ text: String) {
    unsafe count = 0
    for byte in text.utf8.prefix(capacity) {
      unsafe line[count] = byte
      unsafe count += 1
    }
  }

  /// The factor by which a step may exceed its processor time on a busy machine.
  private static let waitFactor = 30

  /// Allows the next step `seconds` of processor time, and more real time; 0 ends the step.
  static func start(seconds: Int) {
    var limit = itimerval()
    limit.it_value.tv_sec = seconds
    #if os(Linux)
      unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &limit, nil)
    #else
      unsafe setitimer(ITIMER_PROF, &limit, nil)
    #endif
    _ = alarm(UInt32(seconds * waitFactor))
  }

  /// The most memory that this process has had, in bytes.
  static var peakByteCount: Int {
    var usage = rusage()
    #if os(Linux)
      unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss * 1024
    #else
      unsafe getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #endif
  }
}
