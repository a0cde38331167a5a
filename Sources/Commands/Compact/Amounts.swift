internal import ArgumentParser

/// A size with or without a unit: `100MB`, `64KiB`, `4096`.
struct ByteSize: ExpressibleByArgument, Equatable {
  let byteCount: Int

  private static let units: [(suffix: String, factor: Double)] = [
    ("KIB", 1024), ("MIB", 1_048_576), ("GIB", 1_073_741_824), ("TIB", 1_099_511_627_776),
    ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("K", 1e3), ("M", 1e6), ("G", 1e9),
    ("T", 1e12), ("B", 1), ("", 1),
  ]

  init?(argument: String) {
    let text = argument.uppercased()
    guard let unit = ByteSize.units.first(where: { text.hasSuffix($0.suffix) }),
      let number = Double(text.dropLast(unit.suffix.count)), number >= 0,
      let count = Int(exactly: (number * unit.factor).rounded())
    else { return nil }
    byteCount = count
  }
}

/// A percentage: `50%` or `50`.
struct Percent: ExpressibleByArgument, Equatable {
  let value: Double

  init?(argument: String) {
    let digits = argument.hasSuffix("%") ? argument.dropLast() : argument[...]
    guard let value = Double(digits), (0...100).contains(value) else { return nil }
    self.value = value
  }
}
