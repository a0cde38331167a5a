import RealmModel
import Testing

@testable import RealmQuery

/// The expected results come from Python's decimal module with 34 digits.
@Suite("Arithmetic with decimals")
struct DecimalArithmeticTests {
  @Test(
    "results are rounded to 34 digits as IEEE 754 demands",
    arguments: [
      (
        "-18159083016613.19", ArithmeticSyntax.Operation.add,
        "3909960308246281948219935181909379", "3909960308246281948201776098892766"
      ),
      (
        "-9.754323194875749118625276018955598E+38", .add, "4710497465075291703423667127684269",
        "-9.754276089901098365708241782284321E+38"
      ),
      (
        "-5.6321223307924403E-24", .add, "-9.952890786666176031372159010928151E+53",
        "-9.952890786666176031372159010928151E+53"
      ),
      ("-0.03", .add, "-7.1177774121547281E+21", "-7117777412154728100000.03"),
      (
        "-2.81E+22", .add, "4.8525388853933634E-24", "-28100000000000000000000.00000000000"
      ),
      (
        "57986828288072902227918058887180.34", .subtract, "87801759898347888",
        "57986828288072814426158160539292.34"
      ),
      ("-8.38E-38", .subtract, "6.76E-28", "-6.760000000838E-28"),
      ("7E-40", .subtract, "-0.02", "0.02000000000000000000000000000000000"),
      ("-0.01", .subtract, "-4.84", "4.83"),
      (
        "4.5040008838737168E-14", .multiply, "-3.353265020146201684934072247045586E+53",
        "-1.510310861460130916099322406579432E+40"
      ),
      ("-353", .multiply, "-2E+5", "7.06E+7"),
      (
        "3.801412690604431982965724920868289E+38", .multiply, "2E-40",
        "0.07602825381208863965931449841736578"
      ),
      (
        "7.074137484777184E+35", .divide, "-4718746331912846",
        "-149915612901987235987.5054617717168"
      ),
      ("-3", .divide, "-8.54E+7", "3.512880562060889929742388758782201E-8"),
      ("6.668364507495289E+35", .divide, "-367", "-1816993053813430245231607629427793"),
      ("1", .divide, "0", "Infinity"),
      ("Infinity", .subtract, "Infinity", "NaN"),
      ("9.999999999999999999999999999999999E+6144", .multiply, "10", "Infinity"),
      ("1E-6176", .divide, "10", "0"),
    ] as [(String, ArithmeticSyntax.Operation, String, String)])
  func rounding(
    a: String, operation: ArithmeticSyntax.Operation, b: String, expected: String
  ) throws {
    let (x, y) = (try #require(Decimal128(text: a)), try #require(Decimal128(text: b)))
    guard
      case .decimal(let result) = Arithmetic.result(.decimal(x), operation, .decimal(y))
    else {
      Issue.record("the result is no decimal")
      return
    }
    let wanted = try #require(Decimal128(text: expected))
    #expect(
      QueryValue.compare(.decimal(result), .decimal(wanted)) == 0,
      "\(a) \(operation) \(b) is \(result), expected \(expected)")
  }

  @Test("integers wrap around, and a division by zero gives a limit")
  func integers() {
    func result(_ a: Int64, _ operation: ArithmeticSyntax.Operation, _ b: Int64) -> Int64? {
      guard case .int(let number) = Arithmetic.result(.int(a), operation, .int(b)) else {
        return nil
      }
      return number
    }
    #expect(result(.max, .add, 1) == .min)
    #expect(result(-7, .divide, 2) == -3)
    #expect(result(7, .divide, 0) == .max)
    #expect(result(-7, .divide, 0) == .min)
    #expect(result(.min, .divide, -1) == .min)
  }
}
