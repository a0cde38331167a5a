import RealmModel

/// Steps about classes, primary keys and indexes.
extension MigrationPlanner {
  mutating func addClass(_ planned: PlannedClass) throws(PlanError) {
    try checkIsFree(planned.name)
    // Properties may link to the class itself.
    let position = stage.draft.classes.count
    edit {
      $0.append(
        MigrationDraft.Class(
          name: Name(planned.name.text), isInternal: false,
          kind: planned.isEmbedded ? .embedded : .topLevel, properties: []))
    }
    for property in planned.properties {
      try checkIsFree(property.name, in: position)
      let drafted = try drafted(property)
      edit { $0.classes[position]?.properties.append(drafted) }
    }
    if let key = planned.primaryKey {
      let property = try property(key, of: position)
      edit {
        $0.classes[position]?.primaryKey = property
        $0.classes[position]?.properties[property].index = .search
      }
    }
  }

  mutating func removeClass(_ name: PlanText) throws(PlanError) {
    let position = try position(name)
    for (other, draft) in stage.draft.classes.enumerated() where other != position {
      guard let draft, let link = draft.properties.first(where: { $0.target == position }) else {
        continue
      }
      throw rule(
        "class \(name.text) is the target of \(draft.name.text).\(link.name.text)", at: name.place,
        hint: "remove that property first")
    }
    remove(position)
  }

  /// - Returns: false if the step must begin a new stage.
  mutating func setEmbedded(_ name: PlanText) throws(PlanError) -> Bool {
    let position = try position(name)
    let draft = draft(position)
    guard draft.kind == .topLevel else {
      throw rule(
        draft.kind == .embedded
          ? "class \(name.text) is already embedded" : "class \(name.text) is asymmetric",
        at: name.place)
    }
    guard draft.primaryKey == nil else {
      throw rule(
        "class \(name.text) has a primary key, which embedded classes do not have", at: name.place,
        hint: "remove it first, with remove-primary-key")
    }
    guard isEmpty else { return false }
    embed(position)
    return true
  }

  /// - Returns: false if the step must begin a new stage.
  mutating func setTopLevel(_ name: PlanText) throws(PlanError) -> Bool {
    let position = try position(name)
    guard draft(position).kind == .embedded else {
      throw rule("class \(name.text) is not embedded", at: name.place)
    }
    guard !stage.canOrphan else { return false }
    edit { $0.classes[position]?.kind = .topLevel }
    return true
  }

  // MARK: Keys and indexes

  mutating func setPrimaryKey(_ name: PlanText, of position: Int) throws(PlanError) {
    let property = try self.property(name, of: position)
    let draft = draft(position)
    guard draft.primaryKey != property else {
      throw rule("\(draft.name.text).\(name.text) is already the primary key", at: name.place)
    }
    if let old = draft.primaryKey {
      edit { $0.classes[position]?.properties[old].index = nil }
    }
    edit { $0.classes[position]?.properties[property].index = .search }
    edit { $0.classes[position]?.primaryKey = property }
    noteReplacedKey(of: position)
  }

  mutating func removePrimaryKey(_ owner: PlanText) throws(PlanError) {
    let position = try position(owner)
    guard let key = draft(position).primaryKey else {
      throw rule("class \(owner.text) has no primary key", at: owner.place)
    }
    edit { $0.classes[position]?.properties[key].index = nil }
    edit { $0.classes[position]?.primaryKey = nil }
  }

  mutating func addIndex(
    _ index: PropertyIndex, to name: PlanText, of owner: PlanText
  ) throws(PlanError) {
    let position = try position(owner)
    let property = try self.property(name, of: position)
    guard draft(position).properties[property].index == nil,
      draft(position).primaryKey != property
    else { throw rule("\(owner.text).\(name.text) already has an index", at: name.place) }
    edit { $0.classes[position]?.properties[property].index = index }
  }

  mutating func removeIndex(
    of name: PlanText, of owner: PlanText
  ) throws(PlanError) {
    let position = try position(owner)
    let property = try self.property(name, of: position)
    guard draft(position).primaryKey != property else {
      throw rule(
        "\(owner.text).\(name.text) is the primary key, which always has an index", at: name.place)
    }
    guard draft(position).properties[property].index != nil else {
      throw rule("\(owner.text).\(name.text) has no index", at: name.place)
    }
    edit { $0.classes[position]?.properties[property].index = nil }
  }
}
