import Foundation

/// The command line, see `main.swift`.
struct FuzzOptions: Sendable {
  var mutations = 1000
  var first = 0
  var processes = 1
  var seconds = 2
  var megabytes = 256
  var key: String?
  var isInProcess = false
  /// Rewrites mutations and verifies the results, instead of reading them.
  var isRewriting = false
  /// Verifies mutations and does nothing else with them.
  var isVerifying = false
  /// Imports mutations of exports of the realms, instead of reading mutated realms.
  var isImporting = false
  /// Runs mutations of queries on a realm, instead of reading mutated realms.
  var isQuerying = false
  /// Salvages mutations and verifies the results, instead of reading them.
  var isSalvaging = false
  /// Bits to flip, one after the other; nil to mutate.
  var flips: Int?
  /// Whether each flip gets a line.
  var isTellingFlips = false
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
      case "--mutations": mutations = try number(argument)
      case "--first": first = try number(argument)
      case "--processes": processes = max(1, try number(argument))
      case "--seconds": seconds = try number(argument)
      case "--megabytes": megabytes = try number(argument)
      case "--key": key = rest.popFirst()
      case "--flips": flips = try number(argument)
      case "--tell-flips": isTellingFlips = true
      case "--in-process": isInProcess = true
      case "--rewrites": isRewriting = true
      case "--verify": isVerifying = true
      case "--imports": isImporting = true
      case "--queries": isQuerying = true
      case "--salvage": isSalvaging = true
      case _ where argument.hasPrefix("-"): throw Unknown(description: "unknown: \(argument)")
      default: realms.append(argument)
      }
    }
    guard !realms.isEmpty else { throw Unknown(description: "no realms are given") }
    guard !isQuerying || realms.count == 1 else {
      throw Unknown(description: "--queries takes one realm")
    }
    for file in realms + [key].compactMap(\.self)
    where !FileManager.default.isReadableFile(atPath: file) {
      throw Unknown(description: "cannot read \(file)")
    }
  }

  /// The arguments of a child that does `mutations` from `first` on.
  func child(first: Int, mutations: Int) -> [String] {
    let numbers = [
      "--first": first, "--mutations": mutations, "--seconds": seconds, "--megabytes": megabytes,
    ]
    let modes = [
      (isRewriting, "--rewrites"), (isVerifying, "--verify"), (isImporting, "--imports"),
      (isQuerying, "--queries"), (isSalvaging, "--salvage"),
    ]
    return ["--in-process"] + modes.filter(\.0).map(\.1)
      + numbers.flatMap { [$0.key, String($0.value)] }
      + (key.map { ["--key", $0] } ?? []) + realms
  }
}
