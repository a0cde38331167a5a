import Foundation

/// The command line, see `main.swift`.
struct RandomRealmOptions {
  var first = 0
  var seeds = 20
  var jobs = ProcessInfo.processInfo.activeProcessorCount
  /// Whether each class has a primary key named `_id`.
  var isSynced = false
  /// The folder in which the realms are kept; nil to keep none.
  var folder: String?

  struct Unknown: Error, CustomStringConvertible {
    var description: String
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func number(_ option: String, from least: Int) throws -> Int {
      guard let number = rest.popFirst().flatMap(Int.init), number >= least else {
        throw Unknown(description: "\(option) takes a number from \(least) on")
      }
      return number
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--first": first = try number(argument, from: 0)
      case "--seeds": seeds = try number(argument, from: 0)
      case "--jobs": jobs = try number(argument, from: 1)
      case "--synced": isSynced = true
      case "--keep":
        guard let path = rest.popFirst() else {
          throw Unknown(description: "--keep takes a folder")
        }
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true)
        folder = path
      default: throw Unknown(description: "unknown: \(argument)")
      }
    }
  }
}
