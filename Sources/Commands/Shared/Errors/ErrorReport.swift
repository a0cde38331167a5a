import ArgumentParser
import RealmBuilding
import RealmInterchange
import RealmJobs
import RealmMigration
import RealmStorage

/// An error as the user sees it: two lines of text, or an object in JSON. One report can hold several errors,
/// such as those of an imported file.
package struct ErrorReport: Error, Encodable, Equatable {
  /// Stable name of the kind of error.
  package var code: String
  /// One line without a full stop: the place and the problem.
  package var message: String
  package var path: String?
  /// Byte offset in the (decrypted) file, or in a query.
  package var offset: Int?
  package var className: String?
  package var property: String?
  package var objectKey: Int64?
  /// The identity of an object, as Realm JSON.
  package var identity: String?
  /// In an imported file, a query or a plan, from 1.
  package var line: Int?
  package var column: Int?
  /// JSON pointer in an imported file.
  package var pointer: String?
  /// Lines that show the place in a query, for people.
  package var excerpt: String?
  /// Other errors of the same kind that were found with it.
  package var others: [ErrorReport]?
  /// What the user can do next.
  package var hint: String?
  package var status: ExitStatus

  private enum CodingKeys: String, CodingKey {
    case code, message, path, offset, line, column, pointer, property, objectKey, others, hint
    case className = "class"
    case identity = "id"
  }

  private init(_ error: any ReportableError) {
    let (row, place) = (error.row, error.place)
    (code, status) = (row.name, row.status)
    (message, hint) = (error.sentence, error.hint)
    path = place.path.isEmpty ? nil : place.path
    (offset, className) = (place.offset, place.className)
    (property, objectKey, identity) = (place.property, place.objectKey, place.identity)
    (line, column, pointer) = (place.line, place.column, place.pointer)
    excerpt = place.excerpt
  }

  private init(_ error: any ReportableError, others: [any ReportableError]) {
    self.init(error)
    if !others.isEmpty { self.others = others.map { ErrorReport($0 as any ReportableError) } }
  }

  private init(code: String, status: ExitStatus, message: String, hint: String) {
    (self.code, self.status, self.message, self.hint) = (code, status, message, hint)
  }

  /// The report about `error`, which a command threw. An unknown error type is a bug of ours.
  package init(_ error: any Error) {
    switch error {
    case let error as ErrorReport: self = error
    case let error as ImportError: self.init(error, others: error.others)
    case let error as RequestError: self.init(error, others: error.others)
    case let error as RebuildError:
      self.init(error, others: error.error.others.map { RebuildError($0, path: error.path) })
    case let error as MigrationError:
      self.init(error, others: error.others)
    case let error as any ReportableError: self.init(error)
    case let error as ValidationError: self.init(usage: error.message, hint: nil)
    default:
      self.init(
        code: "internalError", status: .internalError,
        message: "a bug in realm-cli: \(error)",
        hint: "report it, with the command and this line; the realm that was read is unchanged")
    }
  }

  /// A usage error. `hint` names the help to read; nil for the help of the root command.
  package init(usage message: String, hint: String?) {
    self.init(
      code: "usage", status: .wrongUsage, message: message,
      hint: hint ?? "see `realm-cli --help`")
  }

  /// A line for each error, lines that show the place, and one with the hint.
  package var text: String {
    let lines = ([self] + (others ?? [])).map { "realm-cli: " + $0.message.printable + "\n" }
    return lines.joined() + (excerpt ?? "") + (hint.map { "  hint: " + $0.printable + "\n" } ?? "")
  }

  /// Prints the error on standard error.
  package func write(asJSON: Bool) {
    guard code != "brokenPipe" else { return }
    if asJSON {
      StandardStream.error.say(["error": self], orText: text)
    } else {
      StandardStream.error.say(text)
    }
  }
}
