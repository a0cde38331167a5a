extension Int {
  /// The sum of two numbers that are not negative, or the largest number: what a damaged file states can be anything.
  package func saturatingSum(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
