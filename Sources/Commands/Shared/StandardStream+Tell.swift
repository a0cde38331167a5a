package import RealmStorage

extension StandardStream {
  /// Writes a message beside the result. A failure is ignored: it means that standard error was closed,
  /// so nobody reads messages.
  package func tell(_ text: String) { try? write(text) }

  /// As ``tell(_:)`` for a program: `message` as JSON, or `text` if JSON cannot hold it.
  package func tell(_ message: some Encodable, orText text: String) {
    do {
      tell(try JSONText.line(message))
    } catch {
      tell(text)
    }
  }
}
