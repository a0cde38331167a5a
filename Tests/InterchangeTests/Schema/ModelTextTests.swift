import RealmInterchange
import RealmModel
import Testing

@Suite("Model classes")
struct ModelTextTests {
  /// A class whose name and properties are invalid in all languages, and an embedded class with the name of
  /// a type of most SDKs.
  private let schema = ObjectSchema(classes: [
    ObjectClass(
      name: Name("Order item"),
      properties: [
        Property(name: Name("_id"), type: .objectId, index: .search),
        Property(name: Name("class"), type: .string, index: .search),
        Property(name: Name("first name"), type: .string, isOptional: true),
        Property(name: Name("2nd"), type: .float, isOptional: true),
        Property(name: Name("first_name"), type: .string, index: .fulltext),
        Property(name: Name("lines"), type: .link, collection: .list, target: 1),
        Property(name: Name("tags"), type: .int, isOptional: true, collection: .set),
        Property(name: Name("more"), type: .mixed, isOptional: true, collection: .dictionary),
        Property(name: Name("any"), type: .typedLink, isOptional: true),
      ], primaryKey: 0),
    ObjectClass(
      name: Name("List"), kind: .embedded,
      properties: [
        Property(name: Name("n"), type: .int),
        Property(name: Name("say \"$x\""), type: .timestamp),
      ]),
  ])

  private func text(_ format: SchemaTextFormat) throws -> String {
    String(decoding: try format.text(schema) { _ in [] }, as: UTF8.self)
  }

  @Test("Swift")
  func swift() throws {
    #expect(
      try text(.swift) == #"""
        import Foundation
        import RealmSwift

        class Order_item: Object {
            @Persisted(primaryKey: true) var _id: ObjectId
            @Persisted(indexed: true) var class_: String
            @Persisted var first_name: String?
            @Persisted var _2nd: Float?
            // full-text indexed; Realm Swift has no attribute for it
            @Persisted var first_name2: String
            @Persisted var lines: List<List_>
            @Persisted var tags: MutableSet<Int?>
            @Persisted var more: Map<String, AnyRealmValue>
            // any: no type for optional typedLink

            override class func _realmObjectName() -> String? {
                "Order item"
            }

            override class func propertiesMapping() -> [String: String] {
                [
                    "class_": "class",
                    "first_name": "first name",
                    "_2nd": "2nd",
                    "first_name2": "first_name",
                ]
            }
        }

        class List_: EmbeddedObject {
            @Persisted var n: Int
            @Persisted var say___x_: Date
            // linked from Order item.lines

            override class func _realmObjectName() -> String? {
                "List"
            }

            override class func propertiesMapping() -> [String: String] {
                [
                    "say___x_": "say \"$x\"",
                ]
            }
        }

        """#)
  }

  @Test("Kotlin")
  func kotlin() throws {
    #expect(
      try text(.kotlin) == #"""
        import io.realm.kotlin.ext.*
        import io.realm.kotlin.types.*
        import io.realm.kotlin.types.annotations.*
        import org.mongodb.kbson.Decimal128
        import org.mongodb.kbson.ObjectId

        @PersistedName("Order item")
        class Order_item : RealmObject {
            @PrimaryKey var _id: ObjectId = ObjectId()
            @Index @PersistedName("class") var class_: String = ""
            @PersistedName("first name") var first_name: String? = null
            @PersistedName("2nd") var _2nd: Float? = null
            @FullText @PersistedName("first_name") var first_name2: String = ""
            var lines: RealmList<List_> = realmListOf()
            var tags: RealmSet<Long?> = realmSetOf()
            var more: RealmDictionary<RealmAny?> = realmDictionaryOf()
            // any: no type for optional typedLink
        }

        @PersistedName("List")
        class List_ : EmbeddedRealmObject {
            var n: Long = 0
            @PersistedName("say \"\$x\"") var say___x_: RealmInstant = RealmInstant.from(0, 0)
            // linked from Order item.lines
        }

        """#)
  }

  @Test("TypeScript; JavaScript without the types")
  func typescript() throws {
    #expect(
      try text(.typescript) == #"""
        import Realm, { BSON } from "realm";

        export class Order_item extends Realm.Object<Order_item> {
          _id!: BSON.ObjectId;
          class!: string;
          "first name"!: string | null;
          "2nd"!: number | null;
          first_name!: string;
          lines!: Realm.List<List>;
          tags!: Realm.Set<number | null>;
          more!: Realm.Dictionary<Realm.Mixed>;

          static schema: Realm.ObjectSchema = {
            name: "Order item",
            primaryKey: "_id",
            properties: {
              _id: "objectId",
              class: { type: "string", indexed: true },
              "first name": "string?",
              "2nd": "float?",
              first_name: { type: "string", indexed: "full-text" },
              lines: "List[]",
              tags: "int?<>",
              more: "mixed{}",
              // any: no type for optional typedLink
            },
          };
        }

        export class List extends Realm.Object<List> {
          n!: number;
          "say \"$x\""!: Date;

          // linked from Order item.lines
          static schema: Realm.ObjectSchema = {
            name: "List",
            embedded: true,
            properties: {
              n: "int",
              "say \"$x\"": "date",
            },
          };
        }

        """#)
    #expect(
      try text(.javascript).hasPrefix(
        """
        import Realm from "realm";

        export class Order_item extends Realm.Object {
          static schema = {
            name: "Order item",

        """))
  }

  @Test("C#")
  func csharp() throws {
    #expect(
      try text(.csharp) == #"""
        #nullable enable
        using System;
        using System.Collections.Generic;
        using MongoDB.Bson;
        using Realms;

        [MapTo("Order item")]
        public partial class Order_item : IRealmObject {
            [PrimaryKey] [MapTo("_id")] public ObjectId Id { get; set; }
            [Indexed] [MapTo("class")] public string Class { get; set; } = "";
            [MapTo("first name")] public string? First_name { get; set; }
            [MapTo("2nd")] public float? Property2nd { get; set; }
            [Indexed(IndexType.FullText)] [MapTo("first_name")] public string First_name2 { get; set; } = "";
            [MapTo("lines")] public IList<List> Lines { get; } = null!;
            [MapTo("tags")] public ISet<long?> Tags { get; } = null!;
            [MapTo("more")] public IDictionary<string, RealmValue> More { get; } = null!;
            // any: no type for optional typedLink
        }

        public partial class List : IEmbeddedObject {
            [MapTo("n")] public long N { get; set; }
            [MapTo("say \"$x\"")] public DateTimeOffset Say___x_ { get; set; }
            // linked from Order item.lines
        }

        """#)
  }

  @Test("Dart")
  func dart() throws {
    #expect(
      try text(.dart) == #"""
        import 'dart:typed_data';

        import 'package:realm/realm.dart';

        part 'models.realm.dart';

        @RealmModel()
        @MapTo("Order item")
        class _Order_item {
          @PrimaryKey()
          @MapTo("_id")
          late ObjectId id;
          @Indexed()
          @MapTo("class")
          late String class_;
          @MapTo("first name")
          String? first_name;
          // 2nd: no type for float?
          @Indexed(RealmIndexType.fullText)
          @MapTo("first_name")
          late String first_name2;
          late List<_List_> lines;
          late Set<int?> tags;
          late Map<String, RealmValue> more;
          // any: no type for optional typedLink
        }

        @RealmModel(ObjectType.embeddedObject)
        @MapTo("List")
        class _List_ {
          late int n;
          @MapTo("say \"\$x\"")
          late DateTime say___x_;
          // linked from Order item.lines
        }

        """#)
  }

  @Test("JavaScript puts names with another meaning in a class in brackets")
  func namesOfJavaScript() throws {
    let names = ["__proto__", "constructor", "first name", "name"]
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("C"), properties: names.map { Property(name: Name($0), type: .int) })
    ])
    let text = String(
      decoding: try SchemaTextFormat.typescript.text(schema) { _ in [] }, as: UTF8.self)
    for member in ["[\"__proto__\"]", "[\"constructor\"]", "\"first name\"", "name"] {
      #expect(text.contains("\n  \(member)!: number;"))
      #expect(text.contains("\n      \(member): \"int\","))
    }
  }

  @Test("Mermaid")
  func mermaid() throws {
    #expect(
      try text(.mermaid) == """
        classDiagram
        class Order_item["Order item"] {
          objectId _id : primary key
          string class : indexed
          string? first name
          float? 2nd
          string first_name : full-text indexed
          List[] lines
          int?‹› tags
          mixed｛｝ more
          optional typedLink any
        }
        class List {
          <<embedded>>
          int n
          date say _$x_
        }
        Order_item *-- "*" List : lines

        """)
  }
}
