public import RealmInterchange

/// Finds the schema that an import would use, without importing.
public struct ImportSchemaJob: Sendable {
  private let path: String
  private let options: ImportOptions
  private let jobs: Int

  /// - Parameters:
  ///   - path: the input file; `-` for standard input.
  ///   - jobs: number of threads.
  public init(path: String, options: ImportOptions = ImportOptions(), jobs: Int = 1) {
    (self.path, self.options, self.jobs) = (path, options, jobs)
  }

  /// The schema in the notation of `schema show --format json`.
  ///
  /// - Throws: ``ImportError`` for an error in the input.
  public func run() throws -> [UInt8] {
    return try ImportInput(path: path, options, jobs: jobs).schemaDocument
  }
}
