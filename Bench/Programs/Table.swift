// Rows of results as text, Markdown and JSON: the same cells in all three.

/// A table whose cells are words already, with a JSON object a row.
struct Table {
  var title: String
  var columns: [String]
  var rows: [[String]] = []
  /// By row: the members of its JSON object.
  var json: [[(String, String)]] = []

  mutating func add(_ cells: [String], json members: [(String, String)]) {
    rows.append(cells)
    json.append(members)
  }

  /// Whether a result is not what it must be.
  var isWrong: Bool { rows.contains { $0.last?.hasPrefix("WRONG") == true } }

  var text: String {
    let widths = columns.indices.map { column in ([columns] + rows).map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
      let padded = cells.enumerated().map { place, cell in
        let space = String(repeating: " ", count: widths[place] - cell.count)
        return place < 2 ? cell + space : space + cell
      }
      return padded.joined(separator: "  ")
    }
    return ([title, line(columns)] + rows.map(line)).joined(separator: "\n") + "\n"
  }

  var markdown: String {
    func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
    let rule = columns.indices.map { $0 < 2 ? "---" : "---:" }
    return (["**\(title)**", "", line(columns), line(rule)] + rows.map(line)).joined(separator: "\n") + "\n"
  }

  var jsonText: String {
    let objects = json.map { members in
      "    {" + members.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}"
    }
    return "  \(quoted(title)): [\n" + objects.joined(separator: ",\n") + "\n  ]"
  }
}

/// A JSON string of text without control characters.
func quoted(_ text: String) -> String {
  var result = "\""
  for character in text {
    if character == "\"" || character == "\\" { result.append("\\") }
    result.append(character)
  }
  return result + "\""
}

/// A number with as many digits as it deserves: `12,345`, `34.5`, `0.123`.
func shown(_ value: Double) -> String {
  if !value.isFinite { return "?" }
  let decimals = value.magnitude >= 100 ? 0 : value.magnitude >= 10 ? 1 : value.magnitude >= 1 ? 2 : 3
  return grouped(value, decimals: decimals)
}

/// A number with commas between thousands.
func grouped(_ value: Double, decimals: Int) -> String {
  let scale = (0..<decimals).reduce(1.0) { result, _ in result * 10 }
  let all = Int((value.magnitude * scale).rounded())
  var whole = all / Int(scale)
  let fraction =
    decimals == 0
    ? "" : "." + String(repeating: "0", count: decimals - "\(all % Int(scale))".count) + "\(all % Int(scale))"
  var groups: [String] = []
  while whole >= 1000 {
    let digits = "\(whole % 1000)"
    groups.insert(String(repeating: "0", count: 3 - digits.count) + digits, at: 0)
    whole /= 1000
  }
  return (value < 0 ? "-" : "") + (["\(whole)"] + groups).joined(separator: ",") + fraction
}

/// A number for JSON.
func plain(_ value: Double) -> String { value.isFinite ? "\((value * 1000).rounded() / 1000)" : "null" }
