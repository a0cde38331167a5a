import RealmModel
import RealmStorage

/// Inputs of formats that other programs write: plain JSON, Extended JSON and CSV, as one file or as a folder
/// with one file per class. Their schema is in a separate file or inferred.
struct ForeignInputs {
  /// Each input, with the names of the classes of its runs.
  private(set) var inputs: [(input: SourceInput, classes: [Name])] = []
  /// Path of the file with the schema; nil if there is none.
  private var schemaPath: String?
  /// Whether the input is a folder with its own schema, as written by `export --format ejson`.
  private var isExport = false

  /// The file name of the schema in a folder.
  private static let schemaFile = "schema.json"

  // MARK: Opening

  /// Opens one file of plain JSON.
  ///
  /// - Throws: `request` if nothing names the class, or if two sources name it.
  init(
    _ file: ImportFile, _ layout: JSONLayout, path: String, _ options: ImportOptions
  ) throws(ImportError) {
    schemaPath = options.schemaPath
    let named = layout.runs.compactMap(\.name)
    guard named.isEmpty || options.className == nil else {
      throw ImportError(.request(.classesAreNamed))
    }
    let isNamed = layout.runs.count == named.count
    let classes = isNamed ? named : [try ForeignInputs.className(path, options)]
    inputs = [(SourceInput(file, layout), classes)]
  }

  /// Opens one CSV file.
  ///
  /// - Throws: `request` if nothing names the class; errors of the input as a whole.
  init(csv file: ImportFile, path: String, _ options: ImportOptions) throws(ImportError) {
    schemaPath = options.schemaPath
    inputs = [(try ForeignInputs.csv(file), [try ForeignInputs.className(path, options)])]
  }

  /// Opens a folder with one file per class. Hidden files and files with other extensions are ignored.
  ///
  /// - Throws: `request` for a folder without files to import; errors of a file as a whole.
  init(folder: String, _ options: ImportOptions) throws(ImportError) {
    guard options.className == nil else {
      throw ImportError(.request(.classesAreNamed), path: folder)
    }
    let names: [String?]
    do throws(SystemError) {
      names = try Folder.names(in: folder)
    } catch {
      throw ImportError(.file(RealmFileError(.unreadable(error), path: folder)), path: folder)
    }
    schemaPath = options.schemaPath
    var seen = Set<Name>()
    for name in names.compactMap(\.self).sorted() where !name.hasPrefix(".") {
      let path = "\(folder)/\(name)"
      guard let format = ImportFormat(fileExtension: ForeignInputs.fileExtension(name)),
        !OutputFile.isFolder(path)
      else { continue }
      guard name != ForeignInputs.schemaFile else {
        schemaPath = schemaPath ?? path
        isExport = true
        continue
      }
      let file = try ImportFile(path: path, mayBeEmpty: true, steps: options.steps)
      do throws(ImportError) {
        let className = Name(ForeignInputs.className(ofFile: name))
        guard seen.insert(className).inserted else {
          throw ImportError(.structure("two files in the folder hold class \(className)"))
        }
        let input =
          format == .csv
          ? try ForeignInputs.csv(inFolder: file)
          : SourceInput(file, try JSONLayout(of: file, isLines: true))
        guard case .plain = input.layout.form, input.layout.runs.allSatisfy({ $0.name == nil })
        else {
          throw ImportError(
            .structure(
              "each file in a folder holds one class, as an array or with one object per line"))
        }
        inputs.append((input, [className]))
      } catch {
        throw file.located(error)
      }
    }
    // An export of a realm without classes consists of the schema alone.
    guard !inputs.isEmpty || schemaPath != nil else {
      throw ImportError(.request(.noFiles), path: folder)
    }
  }

  private static func csv(_ file: ImportFile) throws(ImportError) -> SourceInput {
    let header = try CSVHeader(of: file)
    return SourceInput(file, try JSONLayout(rowsOf: file, behind: header), header: header)
  }

  /// A CSV file in a folder; an empty file is a class without objects.
  private static func csv(inFolder file: ImportFile) throws(ImportError) -> SourceInput {
    do throws(ImportError) {
      return try csv(file)
    } catch {
      guard error.kind == .empty else { throw error }
      return SourceInput(file, JSONLayout(plain: [JSONLayout.Run(name: nil, pointer: nil)]))
    }
  }

  // MARK: Names

  private static func className(
    _ path: String, _ options: ImportOptions
  ) throws(ImportError) -> Name {
    if let name = options.className { return Name(name) }
    guard path != InputFile.standardInput else { throw ImportError(.request(.unnamedClass)) }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return Name(className(ofFile: file))
  }

  /// The class of the objects in a file: the file name without its extension, with the escapes of an export
  /// undone.
  static func className(ofFile name: String) -> String {
    let ending = fileExtension(name)
    let stem = ending.isEmpty ? name : String(name.dropLast(ending.count + 1))
    guard stem != "%00" else { return "" }
    var bytes: [UInt8] = []
    var rest = Array(stem.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2,
        let escaped = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(escaped)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The extension of a file; empty if it has none.
  static func fileExtension(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let point = name.lastIndex(of: "."), point != name.startIndex else { return "" }
    return String(name[name.index(after: point)...])
  }

  // MARK: Schema

  /// Makes a source of the objects in the inputs.
  ///
  /// - Throws: errors of the schema, and of the inputs if the schema is inferred.
  func source(
    _ options: ImportOptions, jobs: Int
  ) throws(ImportError) -> (source: TextSource, isInferred: Bool) {
    let schema: ObjectSchema
    if let target = options.targetSchema {
      schema = target
    } else if let schemaPath {
      guard !options.concernsInference else {
        throw ImportError(.request(.hasSchema), path: schemaPath)
      }
      schema = try RealmJSONSchemaReader.read(path: schemaPath)
    } else {
      schema = try SchemaInference(inputs, options).schema(jobs: jobs)
    }
    let plain = FillContext(schema, options, isForeign: true)
    var (filled, documents): ([SourceInput], Set<Int>) = ([], [])
    for (input, classes) in inputs {
      var input = input
      do throws(ImportError) {
        input.runClasses = try RealmJSONInput.classes(named: classes, plain)
        documents.formUnion(
          try input.documentClasses(schema, readsAll: options.ignoresUnknown))
      } catch {
        throw input.file.located(error)
      }
      filled.append(input)
    }
    let context = FillContext(
      schema, options, isForeign: true, unescapesKeys: isExport, documents: documents)
    for i in filled.indices {
      guard let header = filled[i].header else { continue }
      do throws(ImportError) {
        filled[i].columns = try CSVColumn.typed(header, filled[i].runClasses[0], context)
      } catch {
        throw filled[i].file.located(error)
      }
    }
    return (
      TextSource(
        filled, context, schemaPath: options.targetSchema == nil ? schemaPath : nil),
      isInferred: schemaPath == nil && options.targetSchema == nil
    )
  }
}
