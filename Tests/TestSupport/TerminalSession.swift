#if os(Linux)
  public import Foundation

  #if canImport(Glibc)
    import Glibc
  #endif

  /// A run of the built `realm-cli` in a terminal of its own, which a test types into.
  public final class TerminalSession {
    private let process = Process()
    private let terminal: FileHandle
    private let collected = Collected()

    /// The number of columns and lines.
    public static let size = (columns: UInt16(80), lines: UInt16(24))

    /// `TIOCSPTLCK` and `TIOCGPTN`, macros that Swift does not import.
    private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    /// - Parameter environment: more variables than PATH and TERM.
    public init(
      _ arguments: [String], environment: [String: String] = [:], folder: URL? = nil
    ) throws {
      // The system makes a new terminal for each opening of this file, locked and with a number.
      let number = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var (lock, end): (Int32, Int32) = (0, 0)
      guard number >= 0, unsafe ioctl(number, TerminalSession.setLock, &lock) == 0,
        unsafe ioctl(number, TerminalSession.getNumber, &end) == 0
      else { throw TerminalError.notAvailable }
      terminal = FileHandle(fileDescriptor: number, closeOnDealloc: true)
      var size = winsize(
        ws_row: TerminalSession.size.lines, ws_col: TerminalSession.size.columns, ws_xpixel: 0,
        ws_ypixel: 0)
      _ = unsafe ioctl(number, UInt(TIOCSWINSZ), &size)
      let other = unsafe open("/dev/pts/\(end)", O_RDWR | O_NOCTTY)
      guard other >= 0 else { throw TerminalError.notAvailable }
      let handle = FileHandle(fileDescriptor: other, closeOnDealloc: true)
      // The terminal controls the process, so that its keys send signals.
      process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
      process.arguments = ["--ctty", "--wait", toolURL.path] + arguments
      process.environment = [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "TERM": "xterm",
        "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
      ].merging(environment) { $1 }
      if let folder { process.currentDirectoryURL = folder }
      (process.standardInput, process.standardOutput) = (handle, handle)
      process.standardError = handle
      try withOrdinarySignals { try process.run() }
      let (terminal, collected) = (terminal, collected)
      // A thread of its own, because it waits until the terminal is closed.
      Thread.detachNewThread {
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
          let count = unsafe read(terminal.fileDescriptor, &block, block.count)
          guard count > 0 else { return }
          collected.append(block[..<count])
        }
      }
    }

    /// Types keys.
    public func type(_ keys: String) throws {
      try terminal.write(contentsOf: Data(keys.utf8))
    }

    /// What the terminal received since the last call, up to and including `text`, without the codes that move the cursor
    /// or change colours.
    ///
    /// - Throws: `timedOut` with what was received.
    @discardableResult
    public func wait(for text: String, timeout: Double = 30) throws -> String {
      let end = Date(timeIntervalSinceNow: timeout)
      while Date() < end {
        if let found = collected.take(upTo: text) { return found }
        usleep(5000)
      }
      throw TerminalError.timedOut(waitingFor: text, received: collected.plain)
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: its exit status.
    public func end(timeout: Double = 30) throws -> Int32 {
      let end = Date(timeIntervalSinceNow: timeout)
      while process.isRunning, Date() < end { usleep(5000) }
      guard !process.isRunning else {
        process.terminate()
        throw TerminalError.timedOut(waitingFor: "the end", received: collected.plain)
      }
      return process.terminationStatus
    }
  }

  /// Why a test has no terminal, or no answer.
  public enum TerminalError: Error {
    case notAvailable
    case timedOut(waitingFor: String, received: String)
  }

  /// What a terminal received.
  private final class Collected: @unchecked Sendable {
    private let lock = NSLock()
    private var bytes: [UInt8] = []
    private var taken = 0

    func append(_ data: ArraySlice<UInt8>) { lock.withLock { bytes += data } }

    var plain: String { lock.withLock { Collected.plain(bytes) } }

    /// What was received and not taken yet up to `text`; nil if that is not there.
    func take(upTo text: String) -> String? {
      lock.withLock {
        let all = Collected.plain(bytes)
        let rest = String(all.dropFirst(taken))
        guard let range = rest.range(of: text) else { return nil }
        let found = String(rest[..<range.upperBound])
        taken += found.count
        return found
      }
    }

    /// The text without escape sequences and control characters other than line feeds.
    private static func plain(_ bytes: [UInt8]) -> String {
      let hidden: [UInt8] = [0x07, 0x08, 0x0D, 0x0F]
      let text = String(decoding: bytes.filter { !hidden.contains($0) }, as: UTF8.self)
      return text.replacing(/\u{1B}\[[0-9;?]*[A-Za-z@]|\u{1B}[()=>][A-Z0-9]?/, with: "")
    }
  }
#endif
