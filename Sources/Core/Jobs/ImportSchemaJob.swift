public import RealmInterchange

/// Finds out the schema that an import of a text would use, without an import.
public struct ImportSchemaJob: Sendable {
  private let path: String
  private let options: ImportOptions
  private let jobs: Int

  /// - Parameters:
  ///   - path: the text; `-` for standard input.
  ///   - jobs: number of threads.
  public init(path: String, options: ImportOptions = ImportOptions(), jobs: Int = 1) {
    (self.path, self.options, self.jobs) = (path, options, jobs)
  }

  /// The schema in the notation of `schema show --format json`.
  ///
  /// - Throws: `text` for what is wrong with the text.
  public func run() throws -> [UInt8] {
    do throws(ImportError) {
      return try ImportText(path: path, options, jobs: jobs).schemaDocument
    } catch {
      throw error
    }
  }
}
