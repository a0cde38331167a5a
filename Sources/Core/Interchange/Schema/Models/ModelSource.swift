/// Builds the source of model classes, line by line.
struct ModelSource {
  private(set) var text = ""
  private var depth = 0
  private let indent: String

  init(indent: String) { self.indent = indent }

  mutating func line(_ line: String = "") {
    text += line.isEmpty ? "\n" : String(repeating: indent, count: depth) + line + "\n"
  }

  /// Lines that are the same in each file.
  mutating func lines(_ lines: String) {
    for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
      self.line(String(line))
    }
  }

  /// Adds `head`, and the lines that `body` adds, which belong to it by their indentation.
  mutating func indented(_ head: String, _ body: (inout ModelSource) -> Void) {
    line(head)
    depth += 1
    body(&self)
    depth -= 1
  }

  /// A comment of one line.
  mutating func comment(_ line: String) { self.line("// \(ModelSource.visible(line))") }

  /// Adds `head` with braces around the lines that `body` adds.
  mutating func block(_ head: String, end: String = "}", _ body: (inout ModelSource) -> Void) {
    line(head + " {")
    depth += 1
    body(&self)
    depth -= 1
    line(end)
  }

  /// A string in double quotes, with the escapes that all these languages have.
  ///
  /// - Parameter dollar: the escaped dollar sign, in languages where it starts an interpolation.
  static func quoted(_ text: String, dollar: String = "$") -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "$": quoted += dollar
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      // The languages share no escape for them, and no SDK lets an app use them.
      case _ where scalar.properties.generalCategory == .control: quoted += "\u{FFFD}"
      default: quoted += String(scalar)
      }
    }
    return quoted + "\""
  }

  /// A comment's content, which must not end the line.
  private static func visible(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      let isBreak =
        scalar.properties.generalCategory == .control || scalar == "\u{2028}"
        || scalar == "\u{2029}"
      result += isBreak ? "\u{FFFD}" : String(scalar)
    }
  }
}
