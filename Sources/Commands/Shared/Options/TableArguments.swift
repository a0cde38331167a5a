public import ArgumentParser
public import RealmInterchange

/// The options for the tables of a SQLite database, and for the model classes of these tables.
struct TableArguments: ParsableArguments {
  @Option(help: "How dates are stored: \(TableOptions.Dates.names).")
  var dates: TableOptions.Dates?

  @Option(help: "How ObjectIds and UUIDs are stored: \(TableOptions.IDs.names).")
  var ids: TableOptions.IDs?

  @Option(name: .customLong("for"), help: "For whom the tables are: \(TableOptions.Reader.names).")
  var reader: TableOptions.Reader?

  /// Whether one of the options is given.
  var areGiven: Bool { dates != nil || ids != nil || reader != nil }

  var options: TableOptions {
    TableOptions(dates: dates ?? .iso, ids: ids ?? .text, reader: reader ?? .plain)
  }
}

extension TableOptions.Dates: ExpressibleByArgument {
  /// For the help, as those of the other options.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension TableOptions.IDs: ExpressibleByArgument {
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension TableOptions.Reader: ExpressibleByArgument {
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
