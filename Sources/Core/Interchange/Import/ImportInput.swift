package import RealmModel
import RealmStorage

/// An opened input: its schema and its objects.
package struct ImportInput {
  package let source: TextSource
  /// The schema version stated in the input; nil if there is none.
  package let schemaVersion: UInt64?
  /// Whether the schema was inferred from the objects.
  package let isInferred: Bool

  /// - Parameters:
  ///   - path: a file, a folder with one file per class, or `-` for standard input.
  ///   - jobs: number of threads that infer a schema.
  /// - Throws: errors of the input as a whole.
  package init(path: String, _ options: ImportOptions, jobs: Int = 1) throws(ImportError) {
    guard !OutputFile.isFolder(path) else {
      self.init(try ForeignInputs(folder: path, options).source(options, jobs: jobs))
      return
    }
    let format = options.format ?? ImportFormat(fileExtension: ForeignInputs.fileExtension(path))
    let file = try ImportFile(path: path, steps: options.steps)
    do throws(ImportError) {
      if format != .csv {
        let layout = try JSONLayout(of: file, isLines: format == .ndjson)
        if let input = try RealmJSONInput(file, layout, options) {
          try ImportInput.check(options)
          self.init(input.source, input.schemaVersion, isInferred: false)
          return
        }
        let inputs = try ForeignInputs(file, layout, path: path, options)
        self.init(try inputs.source(options, jobs: jobs))
        return
      }
      let inputs = try ForeignInputs(csv: file, path: path, options)
      self.init(try inputs.source(options, jobs: jobs))
    } catch {
      throw file.located(error)
    }
  }

  private init(_ source: TextSource, _ schemaVersion: UInt64?, isInferred: Bool) {
    (self.source, self.schemaVersion, self.isInferred) = (source, schemaVersion, isInferred)
  }

  private init(_ foreign: (source: TextSource, isInferred: Bool)) {
    self.init(foreign.source, nil, isInferred: foreign.isInferred)
  }

  /// Checks that no option repeats what Realm JSON states itself.
  ///
  /// - Throws: `request`.
  private static func check(_ options: ImportOptions) throws(ImportError) {
    guard options.className == nil else { throw ImportError(.request(.classesAreNamed)) }
    guard options.schemaPath == nil, !options.concernsInference else {
      throw ImportError(.request(.hasSchema))
    }
  }

  /// The classes of the objects.
  package var schema: ObjectSchema { source.context.schema }

  /// The properties that are left out because they link to classes that a partial export does not have, as
  /// `Class.property`.
  package var leftOutProperties: [String] {
    source.context.leftOut.map { "\(schema.classes[$0.classPosition].name).\($0.name)" }
  }

  /// The schema as a document, in the notation of `schema show --format json`.
  package var schemaDocument: [UInt8] {
    RealmJSONSchema.document(schema)
  }
}
