/// The result of `body`; nil if what it reads is damaged.
///
/// - Throws: errors that are not damage.
package func undamaged<R>(_ body: @autoclosure () throws(RealmFileError) -> R)
  throws(RealmFileError) -> R?
{
  do throws(RealmFileError) {
    return try body()
  } catch {
    guard error.isDamage else { throw error }
    return nil
  }
}
