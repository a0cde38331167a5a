import RealmModel
import RealmStorage

/// Texts that other programs write: plain JSON, Extended JSON and CSV, as one file or as a folder with a file
/// for each class. Their schema is in a file of its own, or inferred.
struct ForeignTexts {
  /// Each text, and the names of the classes of its runs.
  private(set) var texts: [(text: SourceText, classes: [Name])] = []
  /// Path of the file with the schema; nil where there is none.
  private var schemaPath: String?

  /// The file of a folder that has the schema.
  private static let schemaFile = "schema.json"

  // MARK: Opening

  /// One file of plain JSON.
  ///
  /// - Throws: `request` where nothing names the class, and where two things do.
  init(
    _ file: TextFile, _ layout: JSONLayout, path: String, _ options: ImportOptions
  ) throws(ImportError) {
    schemaPath = options.schemaPath
    let named = layout.runs.compactMap(\.name)
    guard named.isEmpty || options.className == nil else {
      throw ImportError(.request(.classesAreNamed))
    }
    let isNamed = layout.runs.count == named.count
    let classes = isNamed ? named : [try ForeignTexts.className(path, options)]
    texts = [(SourceText(file, layout), classes)]
  }

  /// One file of CSV.
  ///
  /// - Throws: `request` where nothing names the class; what is wrong with the text as a whole.
  init(csv file: TextFile, path: String, _ options: ImportOptions) throws(ImportError) {
    schemaPath = options.schemaPath
    texts = [(try ForeignTexts.csv(file), [try ForeignTexts.className(path, options)])]
  }

  /// A folder with a file for each class; hidden files, and those of other extensions, are none.
  ///
  /// - Throws: `request` for a folder without texts; what is wrong with a text as a whole.
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
      guard let format = ImportFormat(fileExtension: ForeignTexts.fileExtension(name)),
        !OutputFile.isFolder(path)
      else { continue }
      guard name != ForeignTexts.schemaFile else {
        schemaPath = schemaPath ?? path
        continue
      }
      let file = try TextFile(path: path, mayBeEmpty: true)
      do throws(ImportError) {
        let className = Name(ForeignTexts.className(ofFile: name))
        guard seen.insert(className).inserted else {
          throw ImportError(.structure("two files of the folder are of class \(className)"))
        }
        let text =
          format == .csv
          ? try ForeignTexts.csv(file)
          : SourceText(file, try JSONLayout(of: file, isLines: true))
        guard case .plain = text.layout.form, text.layout.runs.allSatisfy({ $0.name == nil }) else {
          throw ImportError(
            .structure("a file of a folder has the objects of one class, as an array or in lines"))
        }
        texts.append((text, [className]))
      } catch {
        throw file.located(error)
      }
    }
    // A realm without classes is exported as a schema alone.
    guard !texts.isEmpty || schemaPath != nil else {
      throw ImportError(.request(.noTexts), path: folder)
    }
  }

  private static func csv(_ file: TextFile) throws(ImportError) -> SourceText {
    let header = try CSVHeader(of: file)
    return SourceText(file, try JSONLayout(rowsOf: file, behind: header), header: header)
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

  /// The class that a file has the objects of: its name without extension. Characters that an export
  /// escapes in names of files are unescaped.
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

  /// The extension of a file; empty where it has none.
  static func fileExtension(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let point = name.lastIndex(of: "."), point != name.startIndex else { return "" }
    return String(name[name.index(after: point)...])
  }

  // MARK: Schema

  /// The objects of the texts.
  ///
  /// - Throws: what is wrong with the schema, and what shows when one is inferred.
  func source(
    _ options: ImportOptions, jobs: Int
  ) throws(ImportError) -> (source: JSONSource, isInferred: Bool) {
    let schema: ObjectSchema
    if let target = options.targetSchema {
      schema = target
    } else if let schemaPath {
      guard !options.concernsInference else {
        throw ImportError(.request(.hasSchema), path: schemaPath)
      }
      schema = try SchemaReader.read(path: schemaPath)
    } else {
      schema = try SchemaInference(texts, options).schema(jobs: jobs)
    }
    let plain = FillContext(schema, options, isForeign: true)
    var (filled, documents): ([SourceText], Set<Int>) = ([], [])
    for (text, classes) in texts {
      var text = text
      do throws(ImportError) {
        text.runClasses = try RealmJSONText.classes(named: classes, plain)
        documents.formUnion(try text.documentClasses(schema))
      } catch {
        throw text.file.located(error)
      }
      filled.append(text)
    }
    let context = FillContext(schema, options, isForeign: true, documents: documents)
    for i in filled.indices {
      guard let header = filled[i].header else { continue }
      do throws(ImportError) {
        filled[i].columns = try CSVColumn.typed(header, filled[i].runClasses[0], context)
      } catch {
        throw filled[i].file.located(error)
      }
    }
    return (
      JSONSource(filled, context), isInferred: schemaPath == nil && options.targetSchema == nil
    )
  }
}

extension SourceText {
  /// The classes whose objects here are documents of MongoDB, with the primary key or the object key in
  /// `_id`: the first object of each class tells.
  fileprivate func documentClasses(_ schema: ObjectSchema) throws(ImportError) -> Set<Int> {
    var (classes, seen): (Set<Int>, Set<Int>) = ([], [])
    guard header == nil else { return [] }
    let parser = JSONParser()
    for part in layout.parts {
      guard let run = part.run, seen.insert(run).inserted else { continue }
      var reader = try RecordReader(self, part, parser, nil)
      guard let record = try reader.next() else { continue }
      let objectClass = schema.classes[runClasses[run]]
      if objectClass.isDocument(record) { classes.insert(runClasses[run]) }
    }
    return classes
  }
}

extension ObjectClass {
  /// Whether the member `_id` of an object is what identifies it, and not a property of that name.
  fileprivate func isDocument(_ record: JSONRecord) -> Bool {
    guard let identity = record.member(0, "_id") else { return false }
    guard primaryKey != nil || record.isInt(identity) else { return false }
    guard let other = position(ofPropertyNamed: EJSONStyle.identityName) else { return true }
    guard other != primaryKey else { return false }
    // The property of that name is then called something else.
    let free = RealmJSONSchema.memberText(EJSONStyle.name(of: other, in: self))
    return record.names(0).contains { record.isText($0, free) }
  }
}
