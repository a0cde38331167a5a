import Foundation

/// A `core-json` export without the scores of its persons, which is the same in the export of
/// each version that `test-writer` commits.
struct ExportFrame {
  private let text: [UInt8]
  /// The parts before each score and after the last one.
  private let parts: [Range<Int>]

  init(of text: [UInt8]) {
    self.text = text
    let name = Array("\"score\":".utf8)
    var parts: [Range<Int>] = []
    var start = 0
    for i in text.indices.dropFirst(name.count)
    where text[i - 1] == name[name.count - 1] && text[(i - name.count)..<i].elementsEqual(name) {
      parts.append(start..<i)
      start = ExportFrame.endOfScore(text, i)
    }
    self.parts = parts + [start..<text.count]
  }

  /// The only score in `other`; nil if it has several, or differs otherwise.
  func version(of other: [UInt8]) -> String? {
    var first: Range<Int>?
    var position = 0
    for (i, part) in parts.enumerated() {
      guard isEqual(other, position, part, text) else { return nil }
      position += part.count
      guard i < parts.count - 1 else { break }
      let score = position..<ExportFrame.endOfScore(other, position)
      if let first, !isEqual(other, score.lowerBound, first, other) { return nil }
      guard score.count == first?.count ?? score.count else { return nil }
      first = first ?? score
      position = score.upperBound
    }
    return position == other.count ? first.map { String(decoding: other[$0], as: UTF8.self) } : nil
  }

  /// Whether `a` has the bytes of `b` in `range` at `start`.
  private func isEqual(_ a: [UInt8], _ start: Int, _ range: Range<Int>, _ b: [UInt8]) -> Bool {
    guard start + range.count <= a.count else { return false }
    return unsafe a.withUnsafeBytes { a in
      unsafe b.withUnsafeBytes { b in
        unsafe memcmp(a.baseAddress! + start, b.baseAddress! + range.lowerBound, range.count) == 0
      }
    }
  }

  private static func endOfScore(_ text: [UInt8], _ start: Int) -> Int {
    var end = start
    while end < text.count, text[end] != UInt8(ascii: ","), text[end] != UInt8(ascii: "}") {
      end += 1
    }
    return end
  }
}
