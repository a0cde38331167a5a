public import RealmStorage

/// The values of a decoded leaf: those of a cluster, or a run of elements of a collection. Refs and keys are
/// not followed yet.
@usableFromInline
package enum LeafValues: Sendable {
  case scalar(ScalarColumn)
  /// Keys of objects in the column's target table; ``ObjectKey/null`` for no link.
  case link([ObjectKey])
  case mixed([MixedValue])
  /// Roots of collections, 0 for an empty one.
  case collection([Ref])

  /// Number of rows.
  @usableFromInline
  package var count: Int {
    switch self {
    case .scalar(let values): values.count
    case .link(let keys): keys.count
    case .mixed(let values): values.count
    case .collection(let roots): roots.count
    }
  }

  /// The scalars; nil for links, mixed values and roots of collections.
  package var scalars: ScalarColumn? { if case .scalar(let values) = self { values } else { nil } }

  /// The value in `row`, which must be below ``count``.
  ///
  /// - Precondition: the values are not roots of collections.
  package func value(at row: Int) -> MixedValue {
    switch self {
    case .scalar(let values): MixedValue(values[row])
    case .link(let keys): keys[row].isNull ? .null : .link(keys[row])
    case .mixed(let values): values[row]
    case .collection: .null
    }
  }

  /// The value in `row` as sets order it (chapter 2, section 6.3): a null in a set of decimals is ordered as
  /// the NaN that represents it.
  package func member(at row: Int) -> MixedValue {
    if case .scalar(.decimal(let values)) = self { .decimal(values[row]) } else { value(at: row) }
  }

  /// Maximum bytes of all strings and binaries of a batch together. A sink may need as much memory again in each
  /// thread.
  package static let batchByteCount = 32 << 20

  /// Whether the strings and binaries in `rows` of all columns of a class fit into one batch.
  package static func fitBatch(_ columns: [LeafValues?], _ rows: Range<Int>) -> Bool {
    var sum = 0
    for column in columns {
      switch column {
      case .scalar(.string(let values)), .scalar(.binary(let values)):
        for value in values.slices[rows] { sum += value?.count ?? 0 }
      default: continue
      }
    }
    return sum <= batchByteCount
  }
}
