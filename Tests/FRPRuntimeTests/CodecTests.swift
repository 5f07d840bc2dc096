import FRPCore
import FRPRuntime
import Testing

/// A heap with a few types, for reading and writing values.
struct CodecFixture {
  var types = TypeTable()
  let tweet, point, list, points, option, deepOption, unitOption, shape, result, byName, byNumber, pair, tree: TypeID
  let json, optionJson, set, odd: TypeID
  let heap: Heap
  let codec: Codec

  init() {
    let author = types.intern(.record([FieldType("followers", .int), FieldType("name", .string)]))
    tweet = types.intern(.record([FieldType("author", author), FieldType("body", .string)]))
    option = types.option(.int)
    point = types.intern(.record([FieldType("note", option), FieldType("x", .float), FieldType("y", .float)]))
    list = types.list(.int)
    points = types.list(point)
    deepOption = types.option(option)
    unitOption = types.option(.unit)
    types.nominalNames += ["Shape", "Tree"]
    shape = types.intern(.variant(NominalID(NominalID.firstDeclared), []))
    types.setConstructors(
      [
        Constructor(name: "Empty", labels: nil, fields: []), Constructor(name: "Circle", labels: nil, fields: [.float]),
        Constructor(name: "Line", labels: nil, fields: [.int, .string]),
        Constructor(name: "Rect", labels: ["w", "h"], fields: [.float, .float]),
      ], of: shape)
    tree = types.intern(.variant(NominalID(NominalID.firstDeclared + 1), []))
    types.setConstructors(
      [
        Constructor(name: "Leaf", labels: nil, fields: []), Constructor(name: "Node", labels: nil, fields: [tree]),
      ], of: tree)
    result = types.intern(.variant(.result, [.int, .string]))
    byName = types.intern(.map(.string, .int))
    byNumber = types.intern(.map(.int, .bool))
    pair = types.intern(.tuple([.int, .string]))
    json = types.json()
    optionJson = types.option(json)
    set = types.set(.string)
    odd = types.intern(.record([FieldType("Order ID", .int), FieldType(#"a"\b"#, .int)]))
    heap = Heap(types: types)
    codec = Codec(heap)
  }

  func decode(_ text: String, _ type: TypeID) throws -> Word? {
    try Array(text.utf8).withUnsafeBufferPointer { bytes throws(Fault) in try codec.decodeJSON(bytes, as: type) }
  }

  /// What reading and writing again makes of a text; the problem if it cannot be read.
  func again(_ text: String, _ type: TypeID) throws -> String {
    guard let word = try decode(text, type) else { return codec.problem?.text ?? "no problem" }
    var out = StringBuilder()
    try codec.encodeJSON(word, type, to: &out)
    return String(decoding: out.view, as: UTF8.self)
  }

  func source(_ text: String, _ type: TypeID) throws -> String {
    guard let word = try decode(text, type) else { return codec.problem?.text ?? "no problem" }
    return codec.source(word, type)
  }
}

struct CodecTests {
  let f = CodecFixture()

  @Test func scalars() throws {
    #expect(try f.again(" null ", .unit) == "null")
    #expect(try f.again("true", .bool) == "true")
    #expect(try f.again("-12", .int) == "-12")
    #expect(try f.again("-9223372036854775808", .int) == "-9223372036854775808")
    #expect(
      try f.again("9223372036854775808", .int) == "line 1, column 1: this number does not fit in an Int (64 bits)")
    #expect(try f.again("3", .float) == "3.0")
    #expect(try f.again("3.0", .int) == "line 1, column 1: expected Int, found 3.0")
    #expect(try f.again("01", .int) == "line 1, column 1: a number must not begin with 0")
    #expect(try f.again("1e400", .float) == "line 1, column 1: this number is too large for a Float")
    #expect(try f.again("1.", .float) == "line 1, column 1: digits must follow the point")
    for text in [
      "0.1", "1e+16", "5e-324", "123456.789", "-0.0", "1.7976931348623157e+308", "100000.0", "0.30000000000000004",
    ] { #expect(try f.again(text, .float) == text) }
    #expect(try f.again(#""a\"\\\/\n\u00e9\ud83d\ude00\u0001""#, .string) == #""a\"\\/\né😀\u0001""#)
    #expect(try f.again(#""\ud800x""#, .string) == "line 1, column 2: this escape is half of a surrogate pair")
    #expect(
      try f.again("\"abcdefgh\tijk\"", .string) == "line 1, column 10: a control character in a string must be escaped")
    #expect(try f.again("\"abcdefgh", .string) == "line 1, column 1: this string has no end")
    #expect(try f.again("", .int) == "line 1, column 1: expected Int, found nothing more")
    #expect(try f.again("1 2", .int) == "line 1, column 3: expected nothing more, found 2")
  }

  /// Bytes are looked at eight at a time: each control character at each place of such a group, and the first that is none.
  @Test func controlCharactersInStrings() throws {
    let f = CodecFixture()
    for code in UInt8(0)...0x20 {
      for place in 0..<19 {
        var bytes = Array("\"abcdefghijklmnopqrs\"".utf8)
        bytes[place + 1] = code
        let text = String(decoding: bytes, as: UTF8.self)
        let wanted =
          code == 0x20 ? text : "line 1, column \(place + 2): a control character in a string must be escaped"
        // A line break would begin another line.
        if code != 0x0A { #expect(try f.again(text, .string) == wanted, "\(code) at \(place)") }
        #expect(try (f.decode(text, .string) == nil) == (code < 0x20), "\(code) at \(place)")
      }
    }
  }

  /// Json is what stands there: whole numbers are Ints where they fit, and an Option of it needs no `Some`.
  @Test func json() throws {
    for text in [
      "null", "true", "-12", "2.5", "1e+30", "\"a\"", "[]", #"[1,[null,{}]]"#, #"{"":0,"Order ID":[{"a":null}]}"#,
    ] { #expect(try f.again(text, f.json) == text) }
    #expect(
      try f.source(#"{"b":1e0,"a":[1]}"#, f.json)
        == #"Json.Object(Map.fromList([("a", Json.List([Json.Int(1)])), ("b", Json.Float(1.0))]))"#)
    #expect(try f.source("9223372036854775808", f.json) == "Json.Float(9.223372036854776e+18)")
    #expect(try f.source("-9223372036854775808", f.json) == "Json.Int(-9223372036854775808)")
    #expect(try f.again(" 3 ", f.optionJson) == "3")
    #expect(try f.source("null", f.optionJson) == "None")
    #expect(try f.again("[1,]", f.json).contains("expected a value"))
    #expect(try f.again("1e400", f.json).contains("too large"))
    let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
    #expect(try f.again(deep, f.json) == deep)
    #expect(try f.again("[" + deep + "]", f.json).contains("nested more than 512 deep"))
  }

  @Test func sets() throws {
    #expect(try f.again(#"["b","a","b"]"#, f.set) == #"["a","b"]"#)
    #expect(try f.source(#"["b","a"]"#, f.set) == #"Set.fromList(["a", "b"])"#)
    #expect(try f.source("[]", f.set) == "Set.fromList([])")
    #expect(try f.again(#"{"a":1}"#, f.set).contains("expected Set<String>"))
  }

  /// Keys that are no names are fields in backticks; a missing one is told with the keys that are there.
  @Test func oddFields() throws {
    #expect(try f.again(#"{"Order ID":1,"a\"\\b":2}"#, f.odd) == #"{"Order ID":1,"a\"\\b":2}"#)
    #expect(try f.source(#"{"Order ID":1,"a\"\\b":2}"#, f.odd) == #"{`Order ID`: 1, `a"\b`: 2}"#)
    #expect(
      try f.again(#"{"order id":1,"a\"\\b":2,"x":3}"#, f.odd)
        == "line 1, column 31: the field `Order ID` is missing; the object has `order id` and x")
  }

  @Test func records() throws {
    #expect(
      try f.again(#"{"y": 2, "x": 1e1, "z": [{"deep": null}], "note": 7}"#, f.point) == #"{"note":7,"x":10.0,"y":2.0}"#)
    #expect(try f.again(#"{"x": 1, "y": 2}"#, f.point) == #"{"note":null,"x":1.0,"y":2.0}"#)
    #expect(try f.again(#"{"x": 1}"#, f.point) == "line 1, column 8: the field y is missing")
    #expect(try f.again(#"{"x": 1, "x": 2, "\u0079": 3}"#, f.point) == #"{"note":null,"x":2.0,"y":3.0}"#)
    #expect(
      try f.again("{\"author\":\n {\"name\": \"é\", \"followers\": \"many\"}}", f.tweet)
        == #"line 2, column 29, at .author.followers: expected Int, found "many""#)
    #expect(
      try f.again(#"[{"x":1,"y":1},{"x":1,"y":true}]"#, f.points)
        == "line 1, column 27, at [1].y: expected Float, found true")
    #expect(
      try f.again(#"{"x": 1, "y": 2, "z": nul}"#, f.point) == "line 1, column 23, at .z: expected a value, found 'nul'")
  }

  @Test func variants() throws {
    for text in [#""Empty""#, #"{"Circle":1.5}"#, #"{"Line":[1,"a"]}"#, #"{"Rect":{"w":1.0,"h":2.0}}"#] {
      #expect(try f.again(text, f.shape) == text)
    }
    #expect(try f.again(#""Circle""#, f.shape) == #"line 1, column 1: Circle has content: write {"Circle": …}"#)
    #expect(try f.again(#"{"Empty": 1}"#, f.shape) == #"line 1, column 2: Empty has no content: write "Empty""#)
    #expect(
      try f.again(#"{"Cirle": 1}"#, f.shape)
        == #"line 1, column 2: expected a case of Shape (Empty, Circle, Line, Rect), found "Cirle""#)
    #expect(
      try f.again(#"{"Line":[1]}"#, f.shape) == "line 1, column 11, at .Line[0]: expected 2 values, not 1, found ']'")
    #expect(try f.again(#"{"Ok":1}"#, f.result) == #"{"Ok":1}"#)
    #expect(try f.again(#"{"Err":"x"}"#, f.result) == #"{"Err":"x"}"#)
    #expect(try f.again("null", f.option) == "null")
    #expect(try f.again("3", f.option) == "3")
    #expect(try f.again("null", f.deepOption) == "null")
    #expect(try f.again(#"{"Some":null}"#, f.deepOption) == #"{"Some":null}"#)
    #expect(try f.again(#"{"Some":4}"#, f.deepOption) == #"{"Some":4}"#)
    #expect(try f.again(#"{"Some":null}"#, f.unitOption) == #"{"Some":null}"#)
  }

  @Test func collections() throws {
    #expect(try f.again("[ 1 , 2 ]", f.list) == "[1,2]")
    #expect(try f.again("[]", f.list) == "[]")
    #expect(try f.again("[1,]", f.list) == "line 1, column 4, at [1]: expected Int, found ']'")
    #expect(try f.again("[1 2]", f.list) == "line 1, column 4, at [0]: expected ',' or ']', found 2")
    #expect(try f.again(#"[1, "a"]"#, f.pair) == #"[1,"a"]"#)
    #expect(try f.again(#"{"b": 1, "a": 2, "b": 3}"#, f.byName) == #"{"a":2,"b":3}"#)
    #expect(try f.again("[[2, true], [1, false]]", f.byNumber) == "[[1,false],[2,true]]")
  }

  @Test func depth() throws {
    func nested(_ n: Int) -> String {
      String(repeating: "{\"Node\":", count: n) + "\"Leaf\"" + String(repeating: "}", count: n)
    }
    #expect(try f.again(nested(500), f.tree) == nested(500))
    #expect(try f.again(nested(600), f.tree).hasSuffix("this is nested more than 512 deep"))
    let skipped = #"{"x":1,"y":1,"z":"# + String(repeating: "[", count: 100_000)
    #expect(try f.again(skipped, f.point).hasSuffix("this is nested more than 512 deep"))
    // Values may be deeper than text that is read.
    var word = Word(tag: 0)
    for _ in 0..<200_000 { word = try f.heap.construct(f.tree, tag: 1, field: word) }
    #expect(f.codec.source(word, f.tree).utf8.count == 200_000 * 6 + 4)
    var out = StringBuilder()
    try f.codec.encodeJSON(word, f.tree, to: &out)
    #expect(out.count == 200_000 * 9 + 6)
  }

  @Test func sources() throws {
    #expect(try f.source(#"{"x":1,"y":-2.5,"note":null}"#, f.point) == "{note: None, x: 1.0, y: -2.5}")
    #expect(try f.source("[1,2]", f.list) == "[1, 2]")
    #expect(try f.source(#"{"a":1,"b":2}"#, f.byName) == #"Map.fromList([("a", 1), ("b", 2)])"#)
    #expect(try f.source("{}", f.byName) == "Map.fromList([])")
    #expect(try f.source(#"{"Rect":{"w":1,"h":2}}"#, f.shape) == "Rect(w: 1.0, h: 2.0)")
    #expect(try f.source(#"{"Line":[1,"a\"{\n"]}"#, f.shape) == #"Line(1, "a\"\{\n")"#)
    #expect(try f.source(#""Empty""#, f.shape) == "Empty")
    #expect(try f.source("null", .unit) == "()")
    #expect(try f.source(#"[1,"x"]"#, f.pair) == #"(1, "x")"#)
    #expect(try f.source("4", f.option) == "Some(4)")
  }

  /// Records beyond one word of bits, for what was seen and for what is a reference.
  @Test func wideRecords() throws {
    var types = TypeTable()
    let option = types.option(.string)
    func name(_ index: Int) -> String { (index < 10 ? "f0" : "f") + String(index) }
    for count in [32, 33, 64, 65, 130] {
      let wide = types.intern(
        .record(
          (0..<count).map { FieldType(name($0), $0 % 3 == 0 ? option : ($0 % 3 == 1 ? .int : .string)) }
            .sorted { $0.name < $1.name }))
      let codec = Codec(Heap(types: types))
      func text(_ fields: [Int]) -> String {
        "{" + fields.map { "\"\(name($0))\":\($0 % 3 == 1 ? "\($0)" : "\"v\($0)\"")" }.joined(separator: ",") + "}"
      }
      func again(_ fields: [Int]) throws -> String {
        let word = try Array(text(fields).utf8).withUnsafeBufferPointer { (bytes) throws(Fault) in
          try codec.decodeJSON(bytes, as: wide)
        }
        guard let word else { return codec.problem?.message ?? "" }
        var out = StringBuilder()
        try codec.encodeJSON(word, wide, to: &out)
        return String(decoding: out.view, as: UTF8.self)
      }
      let sorted = (0..<count).sorted { name($0) < name($1) }
      #expect(try again(Array(sorted.reversed())) == text(sorted))
      #expect(
        try again(sorted.filter { $0 != count - 1 && $0 % 3 != 0 }).hasPrefix("the field \(name(count - 1))")
          == ((count - 1) % 3 != 0))
      #expect(try again(sorted.filter { $0 % 3 != 0 }).contains("\"f00\":null"))
    }
  }

  @Test func traces() throws {
    let ports = Codec.Ports([("clicks", .unit), ("celsius", .float)])
    let line = Codec.TraceLine(f.heap)
    func read(_ text: String) throws -> String? {
      let fits = try Array(text.utf8).withUnsafeBufferPointer { bytes throws(Fault) in
        try f.codec.decodeTrace(bytes, ports, into: line)
      }
      return fits ? nil : f.codec.problem?.text
    }
    #expect(try read(#"{"at": 1.5, "celsius": 21, "clicks": null}"#) == nil)
    #expect(line.time == 1.5)
    #expect(line.ports == [1, 0])
    #expect(line.values[0].float == 21)
    #expect(try read(#"{"celsius": 21}"#) == #"line 1, column 1: "at" is missing"#)
    #expect(try read(#"{"at": 1, "x": 1}"#) == "line 1, column 11: there is no input called x")
    #expect(
      try read(#"{"at": 1, "celsius": "warm"}"#) == #"line 1, column 22, at .celsius: expected Float, found "warm""#)
  }

  /// The values of a line wait for its moment, and what happens until then may collect.
  @Test func valuesOfATraceWait() throws {
    let line = Codec.TraceLine(f.heap)
    let ports = Codec.Ports([("name", .string), ("n", .int)])
    let text = Array(#"{"at": 1, "name": "long enough for an object", "n": 8}"#.utf8)
    let isRead = try text.withUnsafeBufferPointer { bytes throws(Fault) in
      try f.codec.decodeTrace(bytes, ports, into: line)
    }
    #expect(isRead)
    let stale = line.values[0]
    let wasOverwriting = f.heap.collectAlways
    f.heap.collectAlways = true
    f.heap.collect { _ in }
    f.heap.collectAlways = wasOverwriting
    #expect(line.values[0] != stale)
    #expect(f.heap.swiftString(line.values[0]) == "long enough for an object")
    #expect(line.values[1].int == 8)
  }

  /// Any bytes are a value or a problem, and never more.
  @Test func garbage() throws {
    var state: UInt64 = 42
    func random(_ n: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % n
    }
    let seeds = [
      #"{"author":{"name":"a\u00e9\n","followers":12},"body":"long enough for eight","extra":[1,{"a":null}]}"#,
      #"[{"x":1.5e3,"y":-2,"note":null},{"x":0,"y":1e-5}]"#, #"{"Rect":{"w":1.0,"h":2.0}}"#,
      #"{"a":1,"b":{"Some":null}}"#,
    ].map { Array($0.utf8) }
    let types = [f.tweet, f.points, f.shape, f.byName, f.deepOption, f.tree, f.pair, f.byNumber, .string, .float]
    for round in 0..<8_000 {
      var bytes = seeds[round % seeds.count]
      for _ in 0..<random(4) + 1 {
        switch random(4) {
        case 0: bytes[random(bytes.count)] = UInt8(random(256))
        case 1: bytes.removeSubrange(random(bytes.count)...)
        case 2: bytes.insert(UInt8(random(256)), at: random(bytes.count + 1))
        default: bytes.append(contentsOf: [0x22, 0x5C, 0x7B, 0x5B, 0x75][..<random(5)])
        }
        if bytes.isEmpty { bytes = [0x20] }
      }
      for type in types {
        let word = try bytes.withUnsafeBufferPointer { bytes throws(Fault) in try f.codec.decodeJSON(bytes, as: type) }
        if let word { _ = f.codec.source(word, type) } else { #expect(f.codec.problem != nil) }
      }
      if f.heap.usedBytes > 64 << 20 { break }
    }
  }
}
