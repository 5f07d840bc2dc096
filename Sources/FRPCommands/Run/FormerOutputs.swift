// What a run has written to its outputs before the process that goes on with it.
//
// Rules
// - Bytes are counted by file, whichever output wrote them. A file stays known when nothing leads to it any more: it goes on where it
//   was when something leads to it again, and is never emptied.
// - A file of CSV has one header, so its columns stay what they are.

struct FormerOutputs {
  /// By path: how many bytes were handed over; `-` is the standard output.
  private(set) var positions: [String: Int] = [:]
  /// By path: what the columns are called, as a line; nothing where it is no CSV. Older journals say nothing of it.
  private(set) var columns: [String: String] = [:]

  init() {}

  init(positions: [String: Int], columns: [String: String]) { (self.positions, self.columns) = (positions, columns) }

  /// How a file is called here, which may be named otherwise.
  private func name(of path: String) -> String? {
    if positions[path] != nil || path == "-" { return path }
    return positions.keys.sorted().first { $0 != "-" && Files.leadToOne($0, path) }
  }

  /// Nil where the run has not had the file.
  func position(of path: String) -> Int? { name(of: path).flatMap { positions[$0] } }

  mutating func set(_ path: String, _ count: Int, _ names: String) {
    if let name = name(of: path) { (positions[name], columns[name]) = (nil, nil) }
    (positions[path], columns[path]) = (count, names)
  }

  /// A file that is not there any more, or is empty, begins anew.
  mutating func forgetIfGone(_ path: String) {
    if let name = name(of: path), Files.isNothing(path) { (positions[name], columns[name]) = (nil, nil) }
  }

  /// Whether the standard output has such a header.
  func hasShown(_ names: String) -> Bool {
    positions["-", default: 0] > 0 && columns["-", default: names] == names
  }

  /// Throws where a file cannot go on as what an output writes.
  func check(_ binding: PortBinding, _ names: String) throws(PortProblem) {
    guard binding.path != "-", let name = name(of: binding.path), positions[name, default: 0] > 0,
      let former = columns[name], former != names
    else { return }
    let has = former.isEmpty ? "lines that are no CSV" : "the columns \(former)"
    let comes = names.isEmpty ? "is to go on there as \(binding.format.rawValue)" : "has the columns \(names)"
    throw PortProblem(
      message: "`\(binding.path)` has \(has), and `\(binding.name)` \(comes): give it another file, "
        + "--out \(binding.name)=\(binding.format.rawValue):FILE", code: .wrongUsage)
  }
}
