// A program's types, flattened into arrays of trivial values, for structural operations at run time.

import FRPCore
import FRPGraph

/// What the words of a type are.
public enum ShapeKind: UInt8, Sendable {
  case unit, bool, int, float, string, list, map, product, variant, function, task
}

/// One type.
public struct Shape {
  public var kind: ShapeKind
  /// Whether its words are references.
  public var isReference: Bool
  /// List: the element. Map: the key.
  public var first: TypeID
  /// Map: the value.
  public var second: TypeID
  /// Product, variant: the first of its constructors.
  var constructors: Int32
  public var constructorCount: Int32
}

/// One constructor; a tuple or record is one with tag 0.
public struct ConstructorShape {
  /// Its header word; meaningless without fields.
  public var header: UInt64
  /// Place of its first field's type.
  var fields: Int32
  public var fieldCount: Int32
}

public final class TypeShapes {
  public let types: TypeTable
  public let count: Int
  private let shapes: UnsafeMutablePointer<Shape>
  private let constructors: UnsafeMutablePointer<ConstructorShape>
  private let fieldTypes: UnsafeMutablePointer<TypeID>

  public init(_ types: TypeTable) {
    self.types = types
    count = types.types.count
    var shapeList: [Shape] = []
    var constructorList: [ConstructorShape] = []
    var fields: [TypeID] = []
    func add(_ types_: [TypeID], tag: Int) {
      let header = types.header(fields: types_, tag: tag)
      constructorList.append(
        ConstructorShape(header: header, fields: Int32(fields.count), fieldCount: Int32(types_.count)))
      fields += types_
    }
    for index in 0..<count {
      let id = TypeID(index)
      var shape = Shape(
        kind: .unit, isReference: types.isReference(id), first: .unit, second: .unit,
        constructors: Int32(constructorList.count), constructorCount: 0)
      switch types[id] {
      case .unit, .event: shape.kind = .unit
      case .bool: shape.kind = .bool
      case .int: shape.kind = .int
      case .float: shape.kind = .float
      case .string: shape.kind = .string
      case .list(let element):
        shape.kind = .list
        shape.first = element
      case .map(let key, let value):
        shape.kind = .map
        shape.first = key
        shape.second = value
      case .tuple(let elements):
        shape.kind = .product
        add(elements, tag: 0)
      case .record(let list):
        shape.kind = .product
        add(list.map(\.type), tag: 0)
      case .variant(.secret, _): shape.kind = .string
      case .variant(.set, let arguments):
        shape.kind = .map
        shape.first = arguments[0]
      case .variant:
        shape.kind = .variant
        for (tag, constructor) in (types.constructors[id] ?? []).enumerated() {
          add(constructor.fields, tag: tag)
        }
      case .function: shape.kind = .function
      case .task, .source: shape.kind = .task
      }
      shape.constructorCount = Int32(constructorList.count) - shape.constructors
      shapeList.append(shape)
    }
    shapes = .allocate(capacity: max(1, shapeList.count))
    shapes.initialize(from: shapeList, count: shapeList.count)
    constructors = .allocate(capacity: max(1, constructorList.count))
    constructors.initialize(from: constructorList, count: constructorList.count)
    fieldTypes = .allocate(capacity: max(1, fields.count))
    fieldTypes.initialize(from: fields, count: fields.count)
  }

  deinit {
    shapes.deallocate()
    constructors.deallocate()
    fieldTypes.deallocate()
  }

  @inline(__always) public subscript(id: TypeID) -> Shape { shapes[id.index] }
  @inline(__always) public func isReference(_ id: TypeID) -> Bool { shapes[id.index].isReference }
  @inline(__always) public func constructor(_ id: TypeID, _ tag: Int) -> ConstructorShape {
    constructors[Int(shapes[id.index].constructors) + tag]
  }
  @inline(__always) public func fieldType(_ constructor: ConstructorShape, _ index: Int) -> TypeID {
    fieldTypes[Int(constructor.fields) + index]
  }
  /// The type of field `index` of a tuple, record, or constructor `tag`.
  @inline(__always) public func fieldType(_ id: TypeID, tag: Int = 0, _ index: Int) -> TypeID {
    fieldType(constructor(id, tag), index)
  }

  /// Writes the mask words of an object with more than 32 fields behind them.
  func writeWideMask(_ shape: ConstructorShape, at address: Address) {
    for index in 0..<(Int(shape.fieldCount) + 63) / 64 { address[index] = 0 }
    for index in 0..<Int(shape.fieldCount) where isReference(fieldType(shape, index)) {
      address[index >> 6] |= 1 << UInt64(index & 63)
    }
  }
}
