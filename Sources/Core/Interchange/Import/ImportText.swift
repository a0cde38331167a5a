import RealmModel
import RealmStorage

/// A text that was looked at: what it is, and the objects in it.
package struct ImportText {
  package let source: JSONSource
  /// The schema version that the text states; nil where it states none.
  package let schemaVersion: UInt64?

  /// - Parameter path: a file, or `-` for standard input.
  /// - Throws: what is wrong with the text as a whole.
  package init(path: String, _ options: ImportOptions) throws(ImportError) {
    let file = try TextFile(path: path)
    do throws(ImportError) {
      let layout = try JSONLayout(of: file)
      guard let text = try RealmJSONText(file, layout, options) else {
        throw ImportError(.structure("this JSON has no schema"))
      }
      (source, schemaVersion) = (text.source, text.schemaVersion)
    } catch {
      throw file.located(error)
    }
  }
}
