import ArgumentParser

/// The values that a query names by number.
struct QueryArgumentsOption: ParsableArguments {
  @Option(
    name: .customLong("arg"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The values of $0, $1, … in the query, in this order: values of Realm JSON, or bare words.",
      valueName: "value"))
  var values: [String] = []

  init() {}
}
