import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A program that reads what is written to this sink from its standard input, such as a pager.
///
/// The program has the other streams of this process.
package final class ReadingProgram: OutputSink {
  private let process: pid_t
  private var input: FileDescriptor?

  /// Starts `command` with `/bin/sh -c`.
  ///
  /// - Parameter variable: `NAME=value`, added to its environment.
  /// - Returns: nil if it could not be started.
  package init?(_ command: String, variable: String) {
    var number: Int32 = -1
    process = unsafe csystem_start_reader(command, variable, &number)
    guard process > 0 else { return nil }
    input = FileDescriptor(owning: number)
  }

  deinit { publish() }

  /// - Throws: `brokenPipe` if the program ended or reads no more.
  @unsafe
  package func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    guard let input else { throw RealmFileError(.brokenPipe) }
    try unsafe writeAll(bytes, to: input.number)
  }

  /// Ends the output, and waits for the end of the program.
  package func publish() {
    guard input != nil else { return }
    input = nil
    csystem_wait(process)
  }
}
