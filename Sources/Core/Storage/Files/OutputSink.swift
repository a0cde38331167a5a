#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where a job's result goes: a file that appears whole or not at all, or a stream.
///
/// A job writes; whoever opened the sink publishes it once the job is done. A sink belongs to one
/// thread at a time.
public protocol OutputSink: AnyObject {
  /// Appends `bytes` to the result.
  ///
  /// - Throws: `inputOutput`, as where the disk is full; `brokenPipe` where the reader has gone.
  @unsafe func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError)

  /// Makes what was written the result. Called once, and nothing is written after it.
  func publish() throws(RealmFileError)
}

extension OutputSink {
  /// Appends `text` in UTF-8; for small texts.
  public func write(_ text: String) throws(RealmFileError) { try write(Array(text.utf8)) }

  /// Appends `bytes`.
  public func write(_ bytes: [UInt8]) throws(RealmFileError) {
    try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(RealmFileError) in
      try unsafe write(UnsafeRawBufferPointer(buffer))
    }
  }
}

/// A standard stream of the process. Every write goes through at once.
public final class StandardStream: OutputSink, Sendable {
  public static let output = StandardStream(STDOUT_FILENO, name: "standard output")
  public static let error = StandardStream(STDERR_FILENO, name: "standard error")

  private let number: Int32
  private let name: String

  private init(_ number: Int32, name: String) {
    (self.number, self.name) = (number, name)
  }

  /// Whether a terminal shows it.
  public var isTerminal: Bool { isatty(number) == 1 }

  /// Columns and lines depend on the descriptor of the terminal.
  package var descriptor: Int32 { number }

  @unsafe
  public func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    do throws(RealmFileError) {
      try unsafe writeAll(bytes, to: number)
    } catch {
      throw error.adding(path: name)
    }
  }

  public func publish() {}
}

/// Writes all of `bytes`: partial writes go on, interrupted ones are repeated, and a stream that
/// somebody made non-blocking is waited for.
///
/// - Throws: `brokenPipe` or `inputOutput`, without a path.
@unsafe
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(RealmFileError) {
  guard let base = bytes.baseAddress else { return }
  var done = 0
  while done < bytes.count {
    let count = unsafe write(descriptor, base + done, bytes.count - done)
    if count >= 0 {
      done += count
      continue
    }
    switch errno {
    case EINTR: continue
    case EAGAIN:
      var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&wait, 1, -1)
    case EPIPE: throw RealmFileError(.brokenPipe)
    default: throw RealmFileError(.inputOutput(SystemError(errno, "write the output")))
    }
  }
}
