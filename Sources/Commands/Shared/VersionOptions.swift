internal import ArgumentParser
internal import RealmStorage

/// Which of the two versions in a realm file is read.
struct VersionOptions: ParsableArguments {
  @Flag(help: "Read the commit before the newest one, if it is intact.")
  var previous = false

  init() {}

  var version: Snapshot.Version { previous ? .previous : .latest }
}
