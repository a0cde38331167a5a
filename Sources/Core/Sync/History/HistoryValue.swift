package import RealmModel
package import RealmStorage

/// A changeset in a column of a client history. Its bytes are read on request.
package struct HistoryValue {
  let value: BinaryValues.Value
  /// Whether the changeset has a wrapper, as in schema version 12.
  let isWrapped: Bool

  package init(_ value: BinaryValues.Value, schemaVersion: Int) {
    self.value = value
    isWrapped = schemaVersion >= ClientHistory.newestSchemaVersion
  }

  /// The size of the changeset in bytes, from its wrapper, or why there is no valid wrapper; nil for an empty value.
  /// Reads only the wrapper.
  ///
  /// - Throws: `damaged` with a rule of group `leaf`.
  package func byteCount() throws(RealmFileError) -> Result<Int, StoredChangeset.Failure>? {
    guard let (start, count) = try start(), count > 0 else { return nil }
    guard isWrapped else { return .success(count) }
    return Result { () throws(StoredChangeset.Failure) in
      try StoredChangeset.Wrapper(start, count: count).byteCount
    }
  }

  /// The changeset, or why it cannot be unwrapped. A changeset that is too large is not read.
  ///
  /// - Throws: same as ``byteCount()``.
  package func unwrapped() throws(RealmFileError) -> Result<Unwrapped, StoredChangeset.Failure> {
    let (start, count) = try start() ?? (.empty, 0)
    do throws(StoredChangeset.Failure) {
      if isWrapped {
        try StoredChangeset.Wrapper(start, count: count).checkSize()
      } else {
        try StoredChangeset.checkSize(count)
      }
    } catch {
      return .failure(error)
    }
    let value = try value.bytes() ?? .empty
    guard isWrapped else { return .success(Unwrapped(bytes: value.bytes, isEarly: false)) }
    return Result { () throws(StoredChangeset.Failure) in
      let stored = try StoredChangeset(value)
      return Unwrapped(bytes: try stored.unwrapped(), isEarly: stored.isEarly)
    }
  }

  /// An unwrapped changeset.
  package struct Unwrapped {
    package let bytes: [UInt8]
    /// See ``StoredChangeset/isEarly``.
    package let isEarly: Bool
  }

  private func start() throws(RealmFileError) -> (bytes: ByteSlice, byteCount: Int)? {
    try value.start(limit: StoredChangeset.Wrapper.byteLimit)
  }
}
