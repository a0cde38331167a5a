package import RealmStorage

extension StandardStream {
  /// Writes a message to standard error. A failure is ignored: it means that the stream was closed,
  /// so nobody reads messages.
  package func tell(_ text: String) { try? write(text) }

  /// Like ``tell(_:)`` for programs: writes `message` as JSON, or `text` if JSON cannot represent
  /// it.
  package func tell(_ message: some Encodable, orText text: String) {
    do {
      tell(try JSONText.line(message))
    } catch {
      tell(text)
    }
  }
}
