import ArgumentParser
import RealmJobs

/// Whether a realm may change its file format in place.
struct UpgradeOption: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Allow an upgrade: a realm of format 2 to 11 or 21 changes in place only to format 24."))
  var upgrade = false

  init() {}

  var choice: FormatChoice { FormatChoice(upgradesInPlace: upgrade) }
}

/// The file format of a new realm.
struct FileFormatOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file format of the result: 20, 22, 23 or 24. Without it, the format of the source.",
      valueName: "n"))
  var fileFormat: Int?

  init() {}

  var choice: FormatChoice { FormatChoice(number: fileFormat) }
}
