package import ArgumentParser
package import RealmStorage

/// Which of the two versions that a realm file names is read.
package struct VersionOptions: ParsableArguments {
  @Flag(help: "Read the commit before the newest one, if it is intact.")
  package var previous = false

  package init() {}

  package var version: Snapshot.Version { previous ? .previous : .latest }
}
