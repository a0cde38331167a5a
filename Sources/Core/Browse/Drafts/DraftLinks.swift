import RealmModel

/// How a draft changes the links to an object.
struct DraftLinks {
  /// A property of an object that the draft changes.
  struct Link {
    let object: DraftObject
    let property: Int
  }

  /// The properties that link to the object only in the draft.
  private(set) var gained: [Link] = []
  /// The properties that do not link to the object any more.
  private(set) var lost: [Link] = []

  init(to target: DraftAddress, in state: DraftState) {
    for object in state.objects.values {
      for property in Set(object.old.keys).union(object.new.keys) {
        let before = object.old[property]?.links(to: target) ?? false
        let after = object.new[property]?.links(to: target) ?? false
        if after, !before { gained.append(Link(object: object, property: property)) }
        if before, !after { lost.append(Link(object: object, property: property)) }
      }
    }
    gained.sort {
      ($0.object.classPosition, $0.object.key.raw, $0.property)
        < ($1.object.classPosition, $1.object.key.raw, $1.property)
    }
  }
}
