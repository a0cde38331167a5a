internal import ArgumentParser
internal import RealmStorage

/// The version in a realm file that is read.
struct VersionOptions: ParsableArguments {
  @Flag(help: "Read the commit before the newest one, if it is intact.")
  var previous = false

  init() {}

  var version: Snapshot.Version { previous ? .previous : .latest }
}
