import Foundation
import Synchronization

/// Spreads the seeds over processes, and continues after a seed that ended one of them.
struct Parent {
  /// The most mutations of one child: the allocator keeps some memory of each, and the growth of the memory
  /// would depend more on their number than on one of them.
  private static let mutationsPerChild = 10_000

  let options: FuzzOptions

  init(_ options: FuzzOptions) { self.options = options }

  /// - Returns: the number of failures, which are printed line by line to standard output.
  func run() -> Int {
    let failures = Mutex(0)
    let share = (options.mutations + options.processes - 1) / options.processes
    DispatchQueue.concurrentPerform(iterations: options.processes) { process in
      let end = options.first + min(options.mutations, (process + 1) * share)
      var next = options.first + min(options.mutations, process * share)
      while next < end {
        let count = min(Parent.mutationsPerChild, end - next)
        let (message, isDone) = work(next, count)
        guard !isDone else {
          next += count
          continue
        }
        failures.withLock { $0 += 1 }
        // Without a seed, the failure is somewhere after the first mutation.
        let seed = message.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? next
        print(message.isEmpty ? "seed \(seed) or later: ended without a word" : message)
        next = max(seed, next) + 1
      }
    }
    let count = failures.withLock { $0 }
    print("\(options.mutations) mutations, \(count) failures")
    return count
  }

  /// Runs a child.
  ///
  /// - Returns: the last line on its standard error, and whether it finished.
  private func work(_ first: Int, _ mutations: Int) -> (message: String, isDone: Bool) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    if let path = Bundle.main.executablePath {
      process.executableURL = URL(fileURLWithPath: path)
    }
    process.arguments = options.child(first: first, mutations: mutations)
    // A backtrace of a trap takes seconds, and forever under a sanitizer.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SWIFT_BACKTRACE": "enable=no"]
    ) { $1 }
    let pipe = Pipe()
    process.standardError = pipe
    do {
      try process.run()
    } catch {
      return ("cannot start a process: \(error)", false)
    }
    let text = String(
      decoding: (try? pipe.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let isDone = process.terminationReason == .exit && process.terminationStatus == 0
    let lines = text.split(separator: "\n")
    // The output of a trap or a sanitizer comes before or after our own line.
    let own = lines.first { $0.hasPrefix("seed ") }.map(String.init) ?? ""
    let detail = lines.first { $0.contains("atal error") || $0.contains("ERROR:") } ?? ""
    return (detail.isEmpty ? own : own + ": " + detail, isDone)
  }
}
