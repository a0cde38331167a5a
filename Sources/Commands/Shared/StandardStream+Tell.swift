package import RealmStorage

extension StandardStream {
  /// Writes what the user should know beside the result. Where that fails, nobody is left to be told:
  /// whoever closed standard error does not want to know.
  package func tell(_ text: String) { try? write(text) }

  /// As ``tell(_:)`` for a program: `message` as JSON, and `text` where JSON cannot hold it.
  package func tell(_ message: some Encodable, orText text: String) {
    do {
      tell(try JSONText.line(message))
    } catch {
      tell(text)
    }
  }
}
