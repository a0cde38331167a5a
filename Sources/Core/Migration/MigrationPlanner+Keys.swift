import RealmModel

/// Steps about primary keys and indexes.
extension MigrationPlanner {
  mutating func setPrimaryKey(_ name: PlanText, of position: Int) throws(PlanError) {
    let property = try self.property(name, of: position)
    let draft = draft(position)
    guard draft.primaryKey != property else {
      throw rule("\(draft.name.text).\(name.text) is the primary key already", at: name.place)
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
    else { throw rule("\(owner.text).\(name.text) has an index already", at: name.place) }
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
