import RealmModel
import RealmStorage

/// Collects the entries of search indexes.
extension BatchEncoder {
  /// The longest string that an index on a list can hold, in bytes (chapter 3, section 5.7).
  private static let wordLimit = 200

  /// Adds the index entries of the objects of a chunk.
  func addEntries(
    of column: BuildColumn, _ values: ColumnValues, _ chunk: Chunk
  ) throws(BuildError) {
    let entries =
      piece.entries[column.number]
      ?? IndexEntryList(IndexEntryList.Form(of: column), layout.indexOrder)
    piece.entries[column.number] = entries
    let first = chunk.firstObject - chunk.rows.lowerBound
    switch values {
    case .scalar(.string(let strings)) where column.isFulltextIndexed:
      for row in chunk.rows {
        if let string = strings[row] { entries.append(wordsOf: string, object: first + row) }
      }
    case .scalar(let scalars): entries.append(scalars, chunk.rows, firstObject: first)
    case .mixed(let mixed):
      for row in chunk.rows {
        guard case .link(let i) = mixed.values[row] else {
          entries.append(mixed.values[row].stored, object: first + row)
          continue
        }
        let link = mixed.links[i]
        // A link by primary key gets its entry when the object key of its target is known.
        guard let key = link.knownKey, let table = layout.tables[link.target] else { continue }
        entries.append(
          key.isUnresolved ? .null : .typedLink(table.key, key), object: first + row)
      }
    case .collection(let lists):
      for row in chunk.rows {
        let object = first + row
        if let runs = lists.runs {
          while let run = try inBuild(runs.next()) {
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
    guard case .scalar(.string(let strings)) = elements else { return }
    for i in range {
      let string = strings[i]
      if let string, string.count > BatchEncoder.wordLimit {
        throw BuildError(
          .wordTooLong(byteCount: string.count, limit: BatchEncoder.wordLimit),
          objectKey: column.flatMap { objectKey(of: object, $0) })
      }
      entries.append(string.map { IndexData($0) } ?? .null, object: object)
    }
  }
}

extension BatchValue {
  /// The value in the form for an index. Collections become empty, links become null.
  fileprivate var stored: MixedValue {
    switch self {
    case .list: .list(0)
    case .dictionary: .dictionary(0)
    default: MixedValue(self)
    }
  }
}
