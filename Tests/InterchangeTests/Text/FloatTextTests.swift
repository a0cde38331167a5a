import RealmInterchange
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// `value` as the C library prints it.
private func printed(_ value: Double, digits: Int32) -> String {
  var text = [CChar](repeating: 0, count: 64)
  let count = unsafe withVaList([digits, value]) { arguments in
    unsafe vsnprintf(&text, text.count, "%.*e", arguments)
  }
  return String(decoding: text.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

@Suite("Floating point as text")
struct FloatTextTests {
  /// The table of chapter 6, section 1.3.
  @Test(
    "the values of the specification",
    arguments: [
      (0, "0.0000000e+00", "0.0000000000000000e+00"),
      (-0.0, "-0.0000000e+00", "-0.0000000000000000e+00"),
      (1.0 / 3, "3.3333334e-01", "3.3333333333333331e-01"),
      (1e300, "inf", "1.0000000000000001e+300"),
      (.leastNonzeroMagnitude, "0.0000000e+00", "4.9406564584124654e-324"),
      (.nan, "nan", "nan"), (.infinity, "inf", "inf"), (-.infinity, "-inf", "-inf"),
      (-.nan, "-nan", "-nan"),
    ] as [(Double, String, String)])
  func specification(value: Double, float: String, double: String) {
    #expect(textWritten { $0.append(coreFloat: Float(value)) } == float)
    #expect(textWritten { $0.append(coreDouble: value) } == double)
  }

  @Test("values at the edges, as the C library prints them")
  func edges() {
    var values: [Double] = [
      .greatestFiniteMagnitude, .leastNormalMagnitude, .leastNonzeroMagnitude, .pi, 0.1, 1, 0.5,
      Double.leastNormalMagnitude.nextDown, 9.9999999999999995e22, 8.589973e9,
    ]
    // The doubles, then the floats, that are closest to the middle of two outputs.
    values += [
      (8_887_055_249_355_788, 665), (5_592_117_679_628_511, 164), (5_592_117_679_628_511, 163),
      (6_685_530_990_800_801, -866), (5_789_867_926_332_032, 479), (7_237_334_907_915_040, 482),
      (8_469_462_325_972_807, -837), (5_115_933_961_988_509, -823),
      (8_667_859, 56), (10_947_584, 74), (13_684_480, 77), (8_552_800, 81), (10_691_000, 84),
    ].map { Double(sign: .plus, exponent: $0.1, significand: $0.0) }
    // Powers of two and of ten, and their neighbours.
    values += (-1074...1023).map { Double(sign: .plus, exponent: $0, significand: 1) }
    values += (-323...308).compactMap { Double("1e\($0)") }
    values += values.flatMap { [$0.nextUp, $0.nextDown] }
    // Ties: a half, a quarter … after seventeen digits.
    values += (0..<64).map { 100_000_000_000_000_000 + Double($0) * 16 }
    for power in 1...10 {
      let unit = Double(sign: .plus, exponent: -power, significand: 1)
      values += (0..<200).map { 4_503_599_627_370_496 / Double(1 << power) + Double($0) * unit }
    }
    for value in values where value.isFinite {
      for value in [value, -value] {
        #expect(textWritten { $0.append(coreDouble: value) } == printed(value, digits: 16))
        let float = Float(value)
        #expect(textWritten { $0.append(coreFloat: float) } == printed(Double(float), digits: 7))
      }
    }
  }

  @Test("doubles of random bits, as the C library prints them")
  func randomDoubles() {
    let seed: UInt64 = 4
    var generator = SeededGenerator(state: seed)
    var buffer = TextBuffer()
    for _ in 0..<300_000 {
      let value = Double(bitPattern: generator.next())
      if value.isNaN { continue }
      check(value, in: &buffer, digits: 16, seed: seed) { $0.append(coreDouble: value) }
    }
  }

  @Test("decimal fractions and integers, as the C library prints them")
  func everydayDoubles() {
    let seed: UInt64 = 5
    var generator = SeededGenerator(state: seed)
    var buffer = TextBuffer()
    for _ in 0..<100_000 {
      let whole = Double(generator.next() >> UInt64.random(in: 1...63, using: &generator))
      let scale =
        ([1, 2, 4, 1024, 10, 100, 1e6, 1e12] as [Double]).randomElement(using: &generator) ?? 1
      let value = whole / scale
      check(value, in: &buffer, digits: 16, seed: seed) { $0.append(coreDouble: value) }
    }
  }

  @Test("floats of random bits, as the C library prints them")
  func randomFloats() {
    let seed: UInt64 = 6
    var generator = SeededGenerator(state: seed)
    var buffer = TextBuffer()
    for _ in 0..<300_000 {
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
      if value.isNaN { continue }
      check(Double(value), in: &buffer, digits: 7, seed: seed) { $0.append(coreFloat: value) }
    }
  }

  /// Records an issue if the output of `write` in the emptied `buffer` differs from C's.
  private func check(
    _ value: Double, in buffer: inout TextBuffer, digits: Int32, seed: UInt64,
    write: (inout TextBuffer) -> Void
  ) {
    buffer.removeAll()
    write(&buffer)
    let text = unsafe buffer.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    let expected = printed(value, digits: digits)
    if text != expected { Issue.record("seed \(seed): \(expected) became \(text)") }
  }

  @Test(
    "the shortest form has a fraction or an exponent",
    arguments: [
      (0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (-7, "-7.0"), (0.1, "0.1"), (1.5, "1.5"),
      (1e16, "1e+16"), (9_007_199_254_740_991, "9007199254740991.0"), (1e300, "1e+300"),
      (.leastNonzeroMagnitude, "5e-324"), (1.0 / 3, "0.3333333333333333"),
      (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    ] as [(Double, String)])
  func shortest(value: Double, expected: String) {
    #expect(textWritten { $0.append(shortest: value) } == expected)
  }

  @Test(
    "the shortest form of a float is that of the float, not of the double",
    arguments: [
      (0.1, "0.1"), (3.14159, "3.14159"), (16_777_215, "16777215.0"), (1, "1.0"), (-0.0, "-0.0"),
      (.leastNonzeroMagnitude, "1e-45"), (3.4028235e38, "3.4028235e+38"),
    ] as [(Float, String)])
  func shortestFloat(value: Float, expected: String) {
    #expect(textWritten { $0.append(shortest: value) } == expected)
  }

  @Test("the shortest form reads back as the same bits")
  func readsBack() {
    let seed: UInt64 = 7
    var generator = SeededGenerator(state: seed)
    for round in 0..<50_000 {
      let bits = generator.next()
      let double = round % 2 == 0 ? Double(bitPattern: bits) : Double(Int64(bitPattern: bits) >> 14)
      if double.isFinite {
        let text = textWritten { $0.append(shortest: double) }
        #expect(Double(text)?.bitPattern == double.bitPattern, "seed \(seed)")
        #expect(text.contains { ".e".contains($0) }, "seed \(seed)")
      }
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
      if float.isFinite {
        let text = textWritten { $0.append(shortest: float) }
        #expect(Float(text)?.bitPattern == float.bitPattern, "seed \(seed)")
        #expect(text.contains { ".e".contains($0) }, "seed \(seed)")
      }
    }
  }

  /// The form of the standard library is the shortest one.
  @Test("numbers with few digits, and their neighbours, have the shortest form")
  func fewDigits() {
    let seed: UInt64 = 11
    var generator = SeededGenerator(state: seed)
    for _ in 0..<20_000 {
      let bits = generator.next()
      let digits = Double(bits >> 32) * (bits & 1 == 0 ? 1 : -1)
      let power = [1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e12][Int(bits >> 8 & 0xFF) % 10]
      let value = digits / power
      for number in [value, value.nextUp, value.nextDown, value * 1.1]
      where number != number.rounded() {
        let text = textWritten { $0.append(shortest: number) }
        if text != number.description { Issue.record("seed \(seed): \(number) became \(text)") }
      }
    }
  }

  @Test("floats with few digits, and their neighbours, have the shortest form")
  func fewDigitsOfFloats() {
    let seed: UInt64 = 12
    var generator = SeededGenerator(state: seed)
    for _ in 0..<20_000 {
      let bits = generator.next()
      let digits = Float(bits >> 44) * (bits & 1 == 0 ? 1 : -1)
      let power = [1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7][Int(bits >> 8 & 0xFF) % 7] as Float
      let value = digits / power
      for number in [value, value.nextUp, value.nextDown, value * 1.1]
      where number != number.rounded() {
        let text = textWritten { $0.append(shortest: number) }
        if text != number.description { Issue.record("seed \(seed): \(number) became \(text)") }
      }
    }
  }
}
