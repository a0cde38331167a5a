import CSystem
import RealmStorage

/// The output of a query on a terminal: what does not fit on it goes through a pager.
final class PagedOutput: OutputSink {
  private let terminal: StandardStream
  /// Nil for none.
  private let command: String?
  private let cancellation: Cancellation
  /// Output that fits on the terminal so far.
  private var waiting: [UInt8] = []
  private var freeLines: Int
  private var pager: ReadingProgram?

  /// Colours are shown, and `less` ends at once if all fits on the terminal after all.
  private static let lessOptions = "LESS=FRX"

  /// - Parameter command: the pager, for `/bin/sh -c`; nil for none.
  init(_ terminal: StandardStream, command: String?, _ cancellation: Cancellation) {
    (self.terminal, self.command, self.cancellation) = (terminal, command, cancellation)
    // The last line is for the prompt.
    freeLines = terminal.terminalHeight - 1
  }

  /// - Throws: `brokenPipe` if the user left the pager, or interrupted the query.
  @unsafe
  func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    try cancellation.check()
    guard let command else { return try unsafe terminal.write(bytes) }
    if let pager { return try unsafe pager.write(bytes) }
    unsafe waiting.append(contentsOf: bytes)
    freeLines -= unsafe bytes.count { $0 == UInt8(ascii: "\n") }
    guard freeLines < 0 else { return }
    pager = ReadingProgram(command, variable: PagedOutput.lessOptions)
    try flush()
  }

  func publish() throws(RealmFileError) {
    try flush()
    pager?.publish()
  }

  /// Passes on what waits.
  private func flush() throws(RealmFileError) {
    let bytes = waiting
    waiting = []
    if let pager { try pager.write(bytes) } else { try terminal.write(bytes) }
  }
}

extension StandardStream {
  /// Lines of the terminal; 24 if they are unknown.
  var terminalHeight: Int {
    let height = Int(csystem_terminal_height(descriptor))
    return height == 0 ? 24 : height
  }
}
