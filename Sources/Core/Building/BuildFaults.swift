/// Collects the errors that show only once all objects are known: equal primary keys and links to missing objects.
struct BuildFaults {
  /// The most errors to report together.
  let limit: Int
  private var errors: [BuildError] = []
  /// The missing link targets that were recorded already.
  private var missing = Set<Identity>()

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { errors.isEmpty }

  /// Records an error.
  ///
  /// - Throws: all errors as one, once the limit is reached.
  mutating func add(_ error: BuildError) throws(BuildError) {
    errors.append(error)
    if errors.count >= limit { try end() }
  }

  /// Records that a link target is missing, once for each target.
  ///
  /// - Throws: as ``add(_:)``.
  mutating func add(_ error: BuildError, missing target: Identity) throws(BuildError) {
    if missing.insert(target).inserted { try add(error) }
  }

  /// Ends the collection.
  ///
  /// - Throws: all errors as one, if there are any.
  func end() throws(BuildError) {
    if let first = errors.first { throw first.adding(others: errors.dropFirst()) }
  }

  /// The recorded errors and `error` as one.
  func joined(with error: BuildError) -> BuildError {
    guard let first = errors.first else { return error }
    return first.adding(others: errors.dropFirst() + [error])
  }
}

/// Collects what the file format cannot hold: parts of the schema, the first values, and the number of all values.
struct UnsupportedValues {
  /// The most values that are listed.
  private static let limit = 1000

  private var errors: [BuildError] = []
  private var uncounted = 0

  /// Adds an error and its ``BuildError/others``.
  mutating func add(_ error: BuildError) {
    var first = error
    first.others = []
    for error in [first] + error.others { append(error) }
  }

  private mutating func append(_ error: BuildError) {
    if errors.count < UnsupportedValues.limit { errors.append(error) } else { uncounted += 1 }
  }

  /// Adds values that are not listed.
  mutating func add(uncounted count: Int) { uncounted += count }

  /// - Throws: all values as one error, if there are any.
  func end() throws(BuildError) {
    guard let first = errors.first else { return }
    guard uncounted > 0, case .unsupported(_, let format) = first.kind else {
      throw first.adding(others: errors.dropFirst())
    }
    let rest = BuildError(
      .unsupported("room for \(uncounted) more values like these", format: format))
    throw first.adding(others: errors.dropFirst() + [rest])
  }
}

/// Errors about objects of a class whose primary key another object has. Keeps those with the lowest object keys.
struct DuplicateObjects {
  private let limit: Int
  private var errors: [BuildError] = []

  /// - Parameter limit: the most objects to keep.
  init(limit: Int) { self.limit = limit }

  /// - Parameter error: must have an object key.
  mutating func append(_ error: BuildError) {
    errors.append(error)
    if errors.count >= 2 * limit { errors = first }
  }

  /// The errors with the lowest object keys, in the order of the keys.
  var first: [BuildError] {
    Array(errors.sorted { ($0.objectKey ?? 0) < ($1.objectKey ?? 0) }.prefix(limit))
  }
}
