#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The destination of a job's result: a file that appears whole or not at all, or a stream.
///
/// A job only writes; the owner of the sink calls ``publish()`` when the job is done. A sink belongs to one
/// thread at a time.
public protocol OutputSink: AnyObject {
  /// Appends `bytes` to the result.
  ///
  /// - Throws: `inputOutput`, for example if the disk is full; `brokenPipe` if the reader closed the pipe.
  @unsafe func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError)

  /// Completes the result. Called once, after the last ``write(_:)``.
  func publish() throws(RealmFileError)
}

extension OutputSink {
  /// Appends a short string, in UTF-8.
  public func write(_ text: String) throws(RealmFileError) { try write(Array(text.utf8)) }

  /// Appends `bytes`.
  public func write(_ bytes: [UInt8]) throws(RealmFileError) {
    try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(RealmFileError) in
      try unsafe write(UnsafeRawBufferPointer(buffer))
    }
  }
}

/// A standard stream of the process, unbuffered.
public final class StandardStream: OutputSink, Sendable {
  public static let output = StandardStream(STDOUT_FILENO, name: "standard output")
  public static let error = StandardStream(STDERR_FILENO, name: "standard error")

  private let number: Int32
  private let name: String

  private init(_ number: Int32, name: String) {
    (self.number, self.name) = (number, name)
  }

  /// Whether the stream is a terminal.
  public var isTerminal: Bool { isatty(number) == 1 }

  /// Whether standard input is a terminal.
  public static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// The descriptor, for the size of the terminal.
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

/// Writes all of `bytes`: continues partial writes, repeats interrupted ones, and waits if another process made
/// the stream non-blocking.
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
