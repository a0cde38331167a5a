/// The parts of a decimal number: `1.50` and `15E-1` differ, `+150E-2` and `1.50` do not.
public struct DecimalText: Equatable {
  var isNegative = false
  /// Without leading zeros, empty for zero; or `nan`, `inf`.
  var digits = ""
  var exponent = 0

  /// - Parameter text: in the notation of the reference or of Extended JSON.
  public init?(_ text: String) {
    var rest = text.lowercased()[...]
    isNegative = rest.hasPrefix("-")
    if rest.hasPrefix("-") || rest.hasPrefix("+") { rest.removeFirst() }
    guard !["nan", "inf", "infinity"].contains(rest) else {
      digits = String(rest.prefix(3))
      return
    }
    let parts = rest.split(separator: "e", omittingEmptySubsequences: false)
    guard parts.count <= 2, let exponent = parts.count == 2 ? Int(parts[1]) : 0 else { return nil }
    let number = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard number.count <= 2, !number[0].isEmpty else { return nil }
    let fraction = number.count == 2 ? number[1] : ""
    let all = number[0] + fraction
    guard all.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    digits = String(all.drop { $0 == "0" })
    self.exponent = exponent - fraction.count
  }
}

/// The time in a `$date` of Realm JSON.
struct DateParts {
  /// Of the same sign, as the format stores them.
  var seconds: Int64
  var nanoseconds: Int64
  /// `2023-11-14 22:13:20.123456789`, as the reference prints it; nil outside years 1 to 9999.
  var referenceText: String?

  /// - Parameter json: the value of `$date`.
  init?(_ json: JSONValue) {
    if let seconds = json["$seconds"]?.string.flatMap({ Int64($0) }), let ns = json["$ns"]?.int {
      (self.seconds, nanoseconds) = (seconds, Int64(ns))
      return
    }
    guard let text = json.string, text.hasSuffix("Z"), text.utf8.count >= 20 else { return nil }
    let parts = text.dropLast().split(separator: "T")
    guard parts.count == 2 else { return nil }
    let date = parts[0].split(separator: "-").compactMap { Int64($0) }
    let clock = parts[1].split(separator: ".")
    let time = clock[0].split(separator: ":").compactMap { Int64($0) }
    guard date.count == 3, time.count == 3, clock.count <= 2 else { return nil }
    let fraction = clock.count == 2 ? String(clock[1]) : ""
    guard fraction.utf8.count <= 9, clock.count == 1 || !fraction.isEmpty, !fraction.hasSuffix("0")
    else { return nil }
    let padded = fraction.padding(to: 9)
    guard let forward = Int64(padded) else { return nil }
    referenceText =
      "\(parts[0]) \(clock[0])" + (fraction.isEmpty ? "" : "." + padded)
    seconds =
      DateParts.days(date[0], date[1], date[2]) * 86400 + time[0] * 3600 + time[1] * 60 + time[2]
    nanoseconds = forward
    if seconds < 0, nanoseconds > 0 {
      seconds += 1
      nanoseconds -= 1_000_000_000
    }
  }

  /// Days since 1970-01-01, counted year by year and month by month.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    func isLeap(_ year: Int64) -> Bool {
      year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }
    let years = year - 1
    let lengths: [Int64] = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    let daysBefore = years * 365 + years / 4 - years / 100 + years / 400
    // 719162 days from 0001-01-01 to 1970-01-01.
    return daysBefore + lengths.prefix(Int(month) - 1).reduce(0, +) + day - 1 - 719_162
  }

  /// Rounds towards zero, and overflows like the reference for distant dates.
  var milliseconds: Int64 { seconds &* 1000 &+ nanoseconds / 1_000_000 }
}

extension String {
  fileprivate func padding(to count: Int) -> String {
    self + String(repeating: "0", count: Swift.max(0, count - utf8.count))
  }
}
