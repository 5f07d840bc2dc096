// A tree of amounts as a picture: each part as wide as what it and all within it take, what is within stands below.

import FRPBase

struct FlameGraph {
  /// A part on the way from the whole to a node.
  struct Step: Hashable {
    var label: String
    var colour: Int
  }

  struct Node {
    var label: String
    var colour = 3
    /// With all that is within.
    var amount = 0.0
    var parts: [Node] = []

    init(label: String, colour: Int = 3) {
      self.label = label
      self.colour = colour
    }

    /// Adds an amount to the node at the end of a path, and to all on the way.
    mutating func add(_ amount: Double, at path: [Step]) {
      self.amount += amount
      guard let first = path.first else { return }
      var place = parts.firstIndex { $0.label == first.label } ?? parts.count
      if place == parts.count { parts.append(Node(label: first.label, colour: first.colour)) }
      parts[place].add(amount, at: Array(path.dropFirst()))
      while place > 0, parts[place - 1].amount < parts[place].amount {
        parts.swapAt(place - 1, place)
        place -= 1
      }
    }

    var colours: Set<Int> { parts.reduce([colour]) { $0.union($1.colours) } }
    var depth: Int { 1 + (parts.map(\.depth).max() ?? 0) }
  }

  var root: Node
  /// An amount in words.
  var say: (Double) -> String

  private static let left = 12.0
  private static let width = 1_000.0
  private static let row = 24.0
  /// Parts that would be narrower are not drawn.
  private static let narrowest = 0.4
  private static let letter = 6.7

  var svg: String {
    let height = Double(root.depth) * Self.row + 52
    var out = SVG.head(Self.width + 2 * Self.left, height)
    out += drawn(root, x: Self.left, y: 14)
    var x = Self.left
    let colours = root.colours
    for (colour, name) in [(1, "event"), (0, "step"), (2, "continuous"), (4, "looked at for an output")]
    where colours.contains(colour) {
      out += "<circle class=\"t\(colour)\" cx=\"\(SVG.number(x + 4))\" cy=\"\(SVG.number(height - 18))\" r=\"4\"/>\n"
      out += SVG.text(x + 14, height - 14, name, "small")
      x += 28 + 7 * Double(name.count)
    }
    return out + "</svg>\n"
  }

  private func drawn(_ node: Node, x: Double, y: Double) -> String {
    let width = root.amount > 0 ? Self.width * node.amount / root.amount : Self.width
    if width < Self.narrowest { return "" }
    let share = root.amount > 0 ? Amount.percent(node.amount / root.amount) : "0 %"
    let place =
      "x=\"\(SVG.number(x))\" y=\"\(SVG.number(y))\" width=\"\(SVG.number(max(0.2, width - 1)))\" "
      + "height=\"\(SVG.number(Self.row - 2))\" rx=\"2\""
    var out = "<g><title>\(SVG.escaped(node.label)): \(share), \(SVG.escaped(say(node.amount)))</title>\n"
    out += "<rect class=\"t\(node.colour)\" opacity=\"0.22\" \(place)/>\n"
    let room = Int((width - 10) / Self.letter)
    if room >= 3 {
      let label = "\(node.label)  \(share)"
      let shown =
        label.count <= room ? label : node.label.count <= room ? node.label : node.label.prefix(room - 1) + "…"
      out += SVG.text(x + 5, y + 15, shown, "small")
    }
    out += "</g>\n"
    var next = x
    for part in node.parts {
      out += drawn(part, x: next, y: y + Self.row)
      next += Self.width * part.amount / max(root.amount, 1e-300)
    }
    return out
  }
}
