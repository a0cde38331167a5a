/// The texts, each of four bytes or more, that are somewhere in `bytes`. One pass looks for all of them.
public func foundTexts(_ texts: some Sequence<String>, in bytes: [UInt8]) -> [String] {
  func start(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
  var wanted: [UInt32: [String]] = [:]
  for text in texts { wanted[start(text.utf8), default: []].append(text) }
  var found: Set<String> = []
  var window: UInt32 = 0
  for (i, byte) in bytes.enumerated() {
    window = window << 8 | UInt32(byte)
    guard i >= 3, let candidates = wanted[window] else { continue }
    for text in candidates where bytes[(i - 3)...].starts(with: text.utf8) { found.insert(text) }
  }
  return found.sorted()
}
