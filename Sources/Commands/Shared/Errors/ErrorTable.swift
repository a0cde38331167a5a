package import RealmBackup
import RealmBrowse
import RealmBuilding
package import RealmInterchange
package import RealmJobs
package import RealmMigration
private import RealmModel
import RealmQuery
package import RealmStorage

/// An error of one domain, as the commands report it.
///
/// Each domain has its rows here, and its hints in `ErrorHints.swift`.
package protocol ReportableError: Error, CustomStringConvertible {
  /// The name in `--json`, for scripts, and the exit status.
  ///
  /// Names are a contract and never change.
  var row: (name: String, status: ExitStatus) { get }
  /// What is wrong, in one line.
  var sentence: String { get }
  /// What the user can do next; nil if unknown.
  var hint: String? { get }
  /// The place that the error is about.
  var place: ErrorPlace { get }
}

extension ReportableError {
  package var sentence: String { description }
}

/// The place that an error is about. Members are nil if they do not apply or are unknown.
package struct ErrorPlace {
  package var path = ""
  /// Byte offset in the (decrypted) file.
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
  /// Lines that show the place in a query.
  package var excerpt: String?
}

extension RealmFileError: ReportableError {
  /// A file that shrinks while it is read gives 74, not 75: no process that uses a realm truncates it, so
  /// trying again would not help.
  package var row: (name: String, status: ExitStatus) {
    switch kind {
    case .empty: ("empty", .invalidData)
    case .notARealm: ("notARealm", .invalidData)
    case .neverCommitted: ("neverCommitted", .invalidData)
    case .truncated: ("truncated", .invalidData)
    case .damagedHeader: ("damagedHeader", .invalidData)
    case .changedAsText: ("changedAsText", .invalidData)
    case .nothingToSave: ("nothingToSave", .invalidData)
    case .damaged: ("damaged", .invalidData)
    case .damagedPage: ("damagedPage", .invalidData)
    case .wrongKey: ("wrongKey", .key)
    case .notEncrypted: ("notEncrypted", .key)
    case .keyMissing: ("keyMissing", .key)
    case .oldFormat: ("oldFormat", .unsupported)
    case .legacyFormat: ("legacyFormat", .unsupported)
    case .halfUpgraded: ("halfUpgraded", .unsupported)
    case .newerFormat: ("newerFormat", .unsupported)
    case .unknownHistory: ("unknownHistory", .unsupported)
    case .noPreviousVersion: ("noPreviousVersion", .unsupported)
    case .unsupported: ("unsupported", .unsupported)
    case .unreadable: ("unreadable", .missingInput)
    case .outputExists: ("outputExists", .cannotCreate)
    case .outputIsRead: ("outputIsRead", .wrongUsage)
    case .cannotCreate: ("cannotCreate", .cannotCreate)
    case .inputOutput: ("inputOutput", .inputOutput)
    case .brokenPipe: ("brokenPipe", .done)
    case .changedWhileReading: ("changedWhileReading", .inUse)
    case .shrankWhileReading: ("shrankWhileReading", .inputOutput)
    case .inUse: ("inUse", .inUse)
    }
  }

  package var place: ErrorPlace {
    ErrorPlace(
      path: path, offset: offset, className: className, property: property, objectKey: objectKey)
  }
}

extension KeyError: ReportableError {
  package var row: (name: String, status: ExitStatus) {
    switch kind {
    case .unreadable: ("unreadable", .missingInput)
    case .unusable: ("badKey", .key)
    case .sourceFailed: ("badKey", .key)
    case .noRandomNumbers: ("unsupported", .unsupported)
    }
  }

  package var place: ErrorPlace { ErrorPlace(path: path) }
}

extension RequestError: ReportableError {
  package var row: (name: String, status: ExitStatus) {
    switch kind {
    case .formatNotWritten: ("formatNotWritten", .unsupported)
    case .needsUpgrade: ("needsUpgrade", .unsupported)
    case .olderFormat: ("olderFormat", .unsupported)
    case .historyTooNew: ("historyTooNew", .unsupported)
    case .noSuchClass: ("noSuchClass", .wrongUsage)
    case .embeddedClass: ("embeddedClass", .wrongUsage)
    case .noSuchProperty: ("noSuchProperty", .wrongUsage)
    case .cannotDrop: ("cannotDrop", .unsupported)
    case .wouldLose: ("wouldLose", .unsupported)
    case .wouldNotUpload: ("wouldLose", .unsupported)
    case .alreadyEncrypted: ("unsupported", .unsupported)
    case .notEncrypted: ("unsupported", .unsupported)
    case .serverRealm: ("unsupported", .unsupported)
    case .outOfRealmHistory: ("unsupported", .unsupported)
    case .syncedTarget: ("syncedTarget", .unsupported)
    case .syncedMigration: ("syncedMigration", .unsupported)
    case .notInPatch: ("notInPatch", .unsupported)
    case .otherClasses: ("otherClasses", .unsupported)
    case .versionNotHigher: ("versionNotHigher", .unsupported)
    case .noSuchVersion: ("noSuchVersion", .wrongUsage)
    case .noRoot: ("noRoot", .wrongUsage)
    case .noOlderValues: ("noOlderValues", .unsupported)
    case .noUsers: ("noUsers", .missingInput)
    case .noSuchUser: ("noSuchUser", .wrongUsage)
    case .noCommonApp: ("noSuchUser", .wrongUsage)
    case .severalApps: ("severalApps", .wrongUsage)
    case .objectServerUsers: ("unsupported", .unsupported)
    case .hashedRealmName: ("hashedName", .unsupported)
    case .foreignRealmName: ("foreignName", .wrongUsage)
    case .noSuchUserRealm: ("noSuchRealm", .wrongUsage)
    case .noPartition: ("badPartition", .wrongUsage)
    case .notSynced: ("notSynced", .unsupported)
    case .alreadySynced: ("alreadySynced", .unsupported)
    case .cannotSync: ("cannotSync", .unsupported)
    case .oldFormatToSync: ("oldFormat", .unsupported)
    case .flexibleConversion: ("unsupported", .unsupported)
    case .oldSyncHistory: ("oldSyncHistory", .unsupported)
    case .unknownSyncHistory: ("unknownSyncHistory", .unsupported)
    case .oldSyncedFormat: ("oldFormat", .unsupported)
    }
  }

  package var place: ErrorPlace {
    ErrorPlace(path: path, className: className, property: property)
  }
}

extension ArchiveError: ReportableError {
  package var row: (name: String, status: ExitStatus) {
    switch kind {
    case .notABackup: ("notABackup", .invalidData)
    case .damaged: ("damagedBackup", .invalidData)
    case .hostile: ("hostileBackup", .invalidData)
    case .newerFormat: ("unsupported", .unsupported)
    case .unsupported: ("unsupported", .unsupported)
    case .noRealms: ("unreadable", .missingInput)
    case .noSuchRealm: ("noSuchRealm", .wrongUsage)
    case .linkInTarget: ("linkInTarget", .cannotCreate)
    case .sameNames: ("sameNames", .wrongUsage)
    case .severalRealms: ("severalRealms", .wrongUsage)
    }
  }

  package var place: ErrorPlace { ErrorPlace(path: path) }
}

extension ImportError: ReportableError {
  package var row: (name: String, status: ExitStatus) {
    switch kind {
    case .file(let error): error.row
    case .empty: ("empty", .invalidData)
    case .encoding: ("badEncoding", .invalidData)
    case .notJSON: ("notJSON", .invalidData)
    case .truncated: ("truncated", .invalidData)
    case .structure: ("badStructure", .invalidData)
    case .isPatch, .isRealm: ("badStructure", .invalidData)
    case .notAPatch: ("notAPatch", .invalidData)
    case .patch: ("badPatch", .invalidData)
    case .tooLarge: ("tooLarge", .invalidData)
    case .schema: ("badSchema", .invalidData)
    case .wrongType: ("wrongType", .invalidData)
    case .nullInRequired: ("nullInRequired", .invalidData)
    case .outOfRange: ("outOfRange", .invalidData)
    case .rounded: ("rounded", .invalidData)
    case .invalidValue: ("invalidValue", .invalidData)
    case .unknownClass, .classLeftOut: ("unknownClass", .invalidData)
    case .unknownProperty: ("unknownProperty", .invalidData)
    case .missingProperty: ("missingProperty", .invalidData)
    case .duplicateMember: ("duplicateMember", .invalidData)
    case .wrongCount: ("wrongCount", .invalidData)
    case .exists: ("exists", .invalidData)
    case .duplicatePrimaryKey: ("duplicatePrimaryKey", .invalidData)
    case .missingTarget: ("missingTarget", .invalidData)
    case .build(let error): error.row
    case .request: ("badRequest", .wrongUsage)
    }
  }

  package var place: ErrorPlace {
    if case .file(let error) = kind { return error.place }
    var place = ErrorPlace(path: path, offset: offset, className: className, property: property)
    (place.line, place.column, place.pointer) = (line, column, pointer)
    return place
  }
}

extension QueryTextError: ReportableError {
  /// Names the argument or option that the error is in.
  package var sentence: String { "\(argument): \(error.message)" }

  private var argument: String {
    switch part {
    case .className: "class"
    case .query: "query"
    case .argument: "--arg"
    case .condition: "--where"
    case .order: "--sort"
    case .distinct: "--distinct"
    case .columns: "-c"
    case .groups: "--group-by"
    case .total(.sum): "--sum"
    case .total(.average): "--avg"
    case .total(.min): "--min"
    case .total(.max): "--max"
    case .assignment: "--set"
    }
  }

  package var row: (name: String, status: ExitStatus) {
    switch error.kind {
    case .syntax: ("badQuery", .wrongUsage)
    case .value: ("badConstant", .wrongUsage)
    case .unknownName: ("unknownName", .wrongUsage)
    case .type: ("typeMismatch", .wrongUsage)
    case .argument: ("badArgument", .wrongUsage)
    case .tooLarge: ("queryTooLarge", .wrongUsage)
    }
  }

  package var place: ErrorPlace {
    let excerpt = QueryExcerpt(text, error.range)
    var place = ErrorPlace(path: path, offset: error.range.lowerBound)
    (place.line, place.column, place.excerpt) = (excerpt.line, excerpt.column, excerpt.text)
    return place
  }
}

extension BuildError {
  /// The row of an error that consists of this one.
  fileprivate var row: (name: String, status: ExitStatus) {
    if case .unsupported = kind {
      ("notInFormat", .unsupported)
    } else {
      ("impossible", .invalidData)
    }
  }
}

extension RebuildError: ReportableError {
  package var row: (name: String, status: ExitStatus) { error.row }

  package var place: ErrorPlace {
    var place = ErrorPlace(path: path)
    (place.className, place.property) = (error.className, error.property)
    place.objectKey = error.objectKey
    return place
  }
}

extension ExportLossError: ReportableError {
  package var row: (name: String, status: ExitStatus) { ("wouldLose", .unsupported) }

  package var description: String {
    let lost = FormatLosses.Kind.allCases.filter { losses[$0] > 0 && $0.isOfValues }
      .map { $0.words(losses[$0]) }
    return (path.isEmpty ? "" : "\(path): ") + "the format cannot hold "
      + lost.joined(separator: "; nor ")
  }

  package var place: ErrorPlace { ErrorPlace(path: path) }
}

extension PlanError: ReportableError {
  package var row: (name: String, status: ExitStatus) {
    switch kind {
    case .syntax: ("badPlan", .invalidPlan)
    case .structure: ("badPlan", .invalidPlan)
    case .unknownName: ("unknownName", .invalidPlan)
    case .rule: ("impossibleStep", .invalidPlan)
    case .expression: ("badExpression", .invalidPlan)
    case .dataLoss: ("wouldLose", .unsupported)
    }
  }

  package var place: ErrorPlace {
    var place = ErrorPlace(path: path)
    (place.line, place.column) = (line, column)
    if case .expression(let error) = kind, let expression {
      place.excerpt = QueryExcerpt(expression, error.range).text
    }
    return place
  }
}

extension MigrationError: ReportableError {
  package var row: (name: String, status: ExitStatus) {
    switch kind {
    case .value, .null: ("impossibleValue", .invalidData)
    case .duplicates: ("duplicatePrimaryKey", .invalidData)
    case .mixedLink: ("mixedLink", .unsupported)
    case .tooMany: ("tooMany", .unsupported)
    case .tooDeep: ("tooDeep", .unsupported)
    case .build(let error): error.row
    }
  }

  package var place: ErrorPlace {
    var place = ErrorPlace(path: path)
    (place.className, place.property) = (className, property)
    place.objectKey = objectKey
    return place
  }
}

extension DraftError: ReportableError {
  package var row: (name: String, status: ExitStatus) {
    switch kind {
    case .identityInUse: ("duplicatePrimaryKey", .invalidData)
    case .noIdentity: ("noPrimaryKey", .invalidData)
    case .noObject: ("noSuchObject", .invalidData)
    case .changed: ("changedMeanwhile", .negative)
    case .otherCount: ("changedMeanwhile", .negative)
    case .noTarget: ("missingTarget", .invalidData)
    case .primaryKey: ("primaryKey", .unsupported)
    case .asymmetricClass: ("asymmetricClass", .unsupported)
    case .noPlace: ("noSuchValue", .invalidData)
    case .equalMember: ("duplicateMember", .invalidData)
    case .equalKey: ("duplicateKey", .invalidData)
    case .tooManyElements, .tooManyObjects, .tooLarge: ("tooMany", .unsupported)
    }
  }

  package var place: ErrorPlace {
    var place = ErrorPlace()
    (place.className, place.property) = (className, property)
    place.identity = identity
    return place
  }
}
