import Foundation

/// The command line, see `main.swift`.
struct BitFlipOptions {
  var flips = 1000
  var seed: UInt64 = 0
  /// Whether each flip gets a line.
  var isTellingAll = false
  var realms: [String] = []

  struct Unknown: Error, CustomStringConvertible {
    var description: String
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func number(_ option: String) throws -> Int {
      guard let number = rest.popFirst().flatMap(Int.init), number >= 0 else {
        throw Unknown(description: "\(option) takes a number")
      }
      return number
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--flips": flips = try number(argument)
      case "--seed": seed = UInt64(try number(argument))
      case "--tell": isTellingAll = true
      case _ where argument.hasPrefix("-"): throw Unknown(description: "unknown: \(argument)")
      default: realms.append(argument)
      }
    }
    guard !realms.isEmpty else { throw Unknown(description: "no realms are given") }
    for file in realms where !FileManager.default.isReadableFile(atPath: file) {
      throw Unknown(description: "cannot read \(file)")
    }
  }
}
