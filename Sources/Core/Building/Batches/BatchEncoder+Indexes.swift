import RealmModel
import RealmStorage

/// Collects the entries of search indexes.
extension BatchEncoder {
  /// The longest word that an index on a list of strings holds (chapter 3, section 5.7).
  private static let wordLimit = 200

  /// Adds the entries of the objects of a chunk.
  func addEntries(
    of column: BuildColumn, _ values: ColumnValues, _ chunk: Chunk
  ) throws(BuildError) {
    let entries = piece.entries[column.number] ?? IndexEntryList(for: column)
    piece.entries[column.number] = entries
    let first = chunk.firstObject - chunk.rows.lowerBound
    switch values {
    case .scalar(.string(let texts)) where column.isFulltextIndexed:
      for row in chunk.rows {
        if let text = texts[row] { entries.append(wordsOf: text, object: first + row) }
      }
    case .scalar(let scalars): entries.append(scalars, chunk.rows, firstObject: first)
    case .mixed(let mixed):
      for row in chunk.rows {
        guard case .link(let i) = mixed.values[row] else {
          entries.append(mixed.values[row].stored, object: first + row)
          continue
        }
        let link = mixed.links[i]
        // The entry of a link by primary key is added when the target's key is known.
        guard let key = link.knownKey, let table = layout.tables[link.target] else { continue }
        entries.append(
          key.isUnresolved ? .null : .typedLink(table.key, key), object: first + row)
      }
    case .collection(let lists):
      for row in chunk.rows {
        let object = first + row
        if let runs = lists.runs {
          while let run = try inBuild({ () throws(RealmFileError) in try runs.next() }) {
            try append(words: run.elements, run.range(of: 0), to: entries, object: object)
          }
        } else {
          try append(words: lists.elements, lists.range(of: row), to: entries, object: object)
        }
      }
    case .link, .embedded: return
    }
  }

  private func append(
    words elements: ColumnValues, _ range: Range<Int>, to entries: IndexEntryList, object: Int
  ) throws(BuildError) {
    guard case .scalar(.string(let texts)) = elements else { return }
    for i in range {
      let text = texts[i]
      if let text, text.count > BatchEncoder.wordLimit {
        throw BuildError(
          .wordTooLong(byteCount: text.count, limit: BatchEncoder.wordLimit),
          objectKey: piece.objects[column?.classPosition ?? 0]?.keys.indices.contains(object)
            == true
            ? piece.objects[column?.classPosition ?? 0]?.keys[object].raw : nil)
      }
      entries.append(text.map { IndexData($0) } ?? .null, object: object)
    }
  }
}

extension BatchValue {
  /// The value as a mixed property stores it. Collections become empty ones, links become null.
  fileprivate var stored: MixedValue {
    switch self {
    case .list: .list(0)
    case .dictionary: .dictionary(0)
    default: MixedValue(self)
    }
  }
}

extension IndexEntryList {
  /// Appends the scalars in `rows`.
  ///
  /// - Parameter first: number of the object in row 0.
  func append(_ scalars: ScalarColumn, _ rows: Range<Int>, firstObject first: Int) {
    switch scalars {
    case .int(let values, let nulls):
      for row in rows {
        append(nulls[row] ? .null : IndexData(values[row]), object: first + row)
      }
    case .bool(let values, let nulls):
      for row in rows {
        append(nulls[row] ? .null : IndexData(values[row] ? 1 : 0), object: first + row)
      }
    case .timestamp(let seconds, let nanoseconds, let nulls):
      for row in rows {
        append(
          nulls[row] ? .null : IndexData(seconds: seconds[row], nanoseconds: nanoseconds[row]),
          object: first + row)
      }
    case .string(let values), .binary(let values), .objectId(let values), .uuid(let values):
      for row in rows {
        append(values[row].map { IndexData($0) } ?? .null, object: first + row)
      }
    // Values of these types are never indexed.
    case .float, .double, .decimal: return
    }
  }

  /// Appends the words of a text, including repeated words.
  func append(wordsOf text: ByteSlice, object: Int) {
    var tokens = FullTextTokenizer(text)
    var word = IndexWord()
    while tokens.next(into: &word) {
      append(word, object: object)
      word.removeAll()
    }
  }
}

/// The bytes of a word: the first 16 bytes as two integers, and the others.
struct IndexWord: WordBytes {
  static let shortCount = 16

  private(set) var low: UInt64 = 0
  private(set) var high: UInt64 = 0
  private(set) var rest: [UInt8] = []
  private(set) var byteCount = 0

  /// The index data, if only its first 15 bytes are used.
  var data: IndexData {
    .short(low: low, high: high, count: UInt8(min(byteCount, IndexWord.shortCount)))
  }

  mutating func add(_ byte: UInt8) {
    switch byteCount {
    case 0..<8: low |= UInt64(byte) << UInt64(byteCount * 8)
    case 8..<IndexWord.shortCount: high |= UInt64(byte) << UInt64(byteCount * 8 - 64)
    default: rest.append(byte)
    }
    byteCount += 1
  }

  mutating func add(letters: ByteSlice) {
    guard byteCount == 0, case .short(let first, let second, _) = IndexData(letters) else {
      for i in 0..<letters.count { add(letters[i] | IndexWord.lowerCase) }
      return
    }
    low = IndexWord.lowerCased(first, count: letters.count)
    high = IndexWord.lowerCased(second, count: letters.count - 8)
    byteCount = letters.count
  }

  /// The `count` lowest bytes of `word`, which are ASCII letters and digits, in lower case.
  private static func lowerCased(_ word: UInt64, count: Int) -> UInt64 {
    guard count > 0 else { return 0 }
    return (word | 0x2020_2020_2020_2020) & (count < 8 ? 1 << UInt64(8 * count) - 1 : .max)
  }

  mutating func removeAll() {
    if !rest.isEmpty { rest.removeAll(keepingCapacity: true) }
    (low, high, byteCount) = (0, 0, 0)
  }
}
