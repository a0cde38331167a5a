import CEdit
import CSystem
import RealmStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads lines from a terminal, with editing, recalled lines and completion by libedit.
///
/// Used by one thread. While a line is edited, no key sends a signal; the key for interrupts is an ordinary
/// one.
@safe
final class LineEditor {
  /// What the user did.
  enum Answer: Equatable {
    case line(String)
    /// The key for interrupts: the line does not count.
    case interrupted
    case end
  }

  /// The most lines that can be recalled.
  static let historyCount = 1000

  /// What can be typed at the end of the text before the cursor.
  private let complete: (String) -> Completion
  private let editor: OpaquePointer
  private let history: OpaquePointer
  /// What libedit shows before a line, a C string.
  private var prompt: UnsafeMutablePointer<CChar>?
  private var isInterrupted = false

  /// - Throws: `unsupported` if libedit cannot use the terminal.
  init(complete: @escaping (String) -> Completion) throws(RealmFileError) {
    cedit_use_locale()
    guard let editor = unsafe cedit_open(),
      let history = unsafe history_init()
    else {
      throw RealmFileError(.unsupported("lines cannot be edited on this terminal"))
    }
    self.complete = complete
    unsafe (self.editor, self.history) = (editor, history)
    // The editor lives as long as this object, and calls back only while `read` runs.
    unsafe cedit_set_context(editor, Unmanaged.passUnretained(self).toOpaque())
    unsafe cedit_set_prompt(editor) { editor in unsafe LineEditor.owner(of: editor)?.prompt }
    unsafe cedit_use_keys(editor)
    unsafe cedit_set_history(editor, history, Int32(LineEditor.historyCount))
    unsafe cedit_ignore_signals(editor)
    unsafe cedit_bind(editor, "^C", "realm-interrupt", "Drop the line") { editor, _ in
      unsafe LineEditor.owner(of: editor)?.isInterrupted = true
      return UInt8(CC_NEWLINE)
    }
    unsafe cedit_bind(editor, "^I", "realm-complete", "Complete a word") { editor, _ in
      guard let owner = unsafe LineEditor.owner(of: editor) else { return UInt8(CC_ERROR) }
      return owner.completeWord()
    }
  }

  deinit {
    unsafe el_end(editor)
    unsafe history_end(history)
    unsafe free(prompt)
  }

  private static func owner(of editor: OpaquePointer?) -> LineEditor? {
    guard let context = unsafe cedit_context(editor) else { return nil }
    return unsafe Unmanaged<LineEditor>.fromOpaque(context).takeUnretainedValue()
  }

  /// Makes a line one that can be recalled.
  func remember(_ line: String) { unsafe cedit_enter(history, line) }

  /// Reads the next line, without its line feed.
  func read(prompt text: String) -> Answer {
    unsafe free(prompt)
    unsafe prompt = strdup(text)
    isInterrupted = false
    var count: Int32 = 0
    let line = unsafe el_gets(editor, &count)
    guard !isInterrupted else {
      StandardStream.output.say("^C\n")
      return .interrupted
    }
    guard let line = unsafe line, count > 0 else { return .end }
    let text = unsafe String(cString: line)
    return .line(text.hasSuffix("\n") ? String(text.dropLast()) : text)
  }

  /// Completes the word before the cursor: inserts what all completions have in common, or lists them.
  ///
  /// - Returns: what libedit does next.
  private func completeWord() -> UInt8 {
    guard let line = unsafe el_line(editor)?.pointee else { return UInt8(CC_ERROR) }
    let count = unsafe line.cursor - line.buffer
    let bytes = unsafe UnsafeRawBufferPointer(start: line.buffer, count: count)
    let completion = complete(unsafe String(decoding: bytes, as: UTF8.self))
    guard let insertion = completion.insertion else {
      guard completion.words.count > 1 else { return UInt8(CC_REFRESH_BEEP) }
      StandardStream.output.say(
        "\n" + completion.listing(width: StandardStream.output.terminalWidth ?? 80))
      return UInt8(CC_REDISPLAY)
    }
    // libedit counts characters of the locale, which are scalars.
    unsafe el_deletestr(editor, Int32(completion.typed.unicodeScalars.count))
    unsafe el_insertstr(editor, insertion)
    return UInt8(CC_REFRESH)
  }
}
