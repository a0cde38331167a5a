import Testing

@testable import RealmQuery

@Suite("Query syntax")
struct SyntaxTests {
  @Test("the place of arithmetic goes from its first operand to its last")
  func arithmeticRange() {
    let one = ConstantSyntax(value: .int(1), range: 2..<3)
    let two = ConstantSyntax(value: .int(2), range: 6..<7)
    let sum = ArithmeticSyntax(
      left: .constant(one), operation: .add, operationRange: 4..<5, right: .constant(two))
    #expect(ExpressionSyntax.arithmetic(sum).range == 2..<7)
  }
}
