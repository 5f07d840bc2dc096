// `frp doc FILE`, `frp doc FOLDER…`, `frp doc --manual`: programs and texts as a site.
//
// In: programs, texts in Markdown, folders of both. Out: a site in a folder; of one program also Markdown or JSON.
// Rules
// - What examples and tests of a program come to is part of its page; what is wrong with them is said as well, and the
//   exit code is 1.
// - A program is run for its pictures with the flags of the command, or with what stands beside it: `shop.trace`, `shop.args`.

import FRP
import FRPBase
import FRPWorld

struct SiteCommand {
  let invocation: Invocation
  let console: Console
  private let reporter: Reporter
  private var code = ExitCode.success

  /// Flags that say how a program is run for its pictures.
  static let runFlags = ["--trace", "--in", "--time", "--from", "--late", "--set", "--for", "--sample", "--seed"]

  init(_ invocation: Invocation, _ console: Console) {
    self.invocation = invocation
    self.console = console
    reporter = Reporter(invocation, console)
  }

  /// Whether a word means files, and not a name of the language.
  static func isFile(_ word: String) -> Bool {
    word == "-" || word.hasSuffix(".frp") || word.hasSuffix(".md") || word.contains("/") || Files.isDirectory(word)
  }

  mutating func run() -> ExitCode {
    let single = invocation.operands.count == 1 ? invocation.operands[0] : ""
    let isProgram = !Files.isDirectory(single) && !single.hasSuffix(".md") && !single.isEmpty
    if isProgram, !invocation.has("--manual") { return document(single) }
    guard let folder = invocation.value("--output") else {
      return wrong("a site is written into a folder: `-o DIR`")
    }
    if invocation.has("--json") { return wrong("`--json` is for one program") }
    var site = Site(title: title)
    do {
      for path in try files() { try add(path, to: &site) }
    } catch { return error }
    if invocation.has("--manual") { addManual(to: &site) }
    if site.pages.isEmpty {
      return wrong("there is no program and no text in `\(invocation.operands.joined(separator: "`, `"))`")
    }
    site.addIndex(invocation.has("--manual") ? Self.introduction : "")
    return write(site, to: folder)
  }

  private func wrong(_ message: String) -> ExitCode {
    Usage.report(UsageProblem(message: message, command: "doc"), console)
  }

  private var title: String {
    if invocation.has("--manual") { return "frp" }
    return invocation.operands.first.map { $0.split(separator: "/").last.map(String.init) ?? $0 } ?? "Programs"
  }

  private mutating func write(_ site: Site, to folder: String) -> ExitCode {
    if folder == "-" { return wrong("pages are files: `-o DIR` names their folder, and `-o ./-` one called `-`") }
    do { try site.write(to: folder) } catch {
      reporter.failure("cannot write into `\(folder)`: \(error.message)")
      return .fault
    }
    let pages = site.pages.count == 1 ? "1 page" : "\(site.pages.count) pages"
    reporter.note("\(pages) in `\(folder)`: open index.html")
    return code
  }

  // MARK: One program

  private mutating func document(_ path: String) -> ExitCode {
    guard let source = ProgramFile.read(path, reporter), let program = documentation(source) else {
      return code == .success ? .wrongUsage : code
    }
    tell(program, path)
    if invocation.has("--json"), invocation.has("--output") {
      return wrong("`--json` goes to standard output, without `-o`")
    }
    guard let folder = invocation.value("--output") else {
      console.out.write(invocation.has("--json") ? program.json : program.markdown)
      return code
    }
    var site = Site(title: program.title)
    site.pages = [page(program, path, file: "index.html")]
    return write(site, to: folder)
  }

  /// What is known of a program; nil, after saying why, where it has errors.
  private mutating func documentation(_ source: Source) -> ProgramDocumentation? {
    let program = invocation.surroundings.compile(source)
    if !program.hasErrors {
      return ProgramDocumentation(source, program, in: invocation.surroundings, limits: invocation.limits.run)
    }
    reporter.report(program.diagnostics.filter { $0.severity == .error }, program.sources)
    code = .programHasErrors
    return nil
  }

  private mutating func tell(_ program: ProgramDocumentation, _ path: String) {
    if !program.isCommented {
      reporter.note(
        "`\(path)` has no `///` comments above its definitions: their types and sources are all that is shown")
    }
    for problem in program.problems {
      reporter.failure("\(path):\(problem.line): \(problem.text)")
      code = .programHasErrors
    }
  }

  private func page(_ program: ProgramDocumentation, _ path: String, file: String) -> Site.Page {
    var words = Self.runFlags.flatMap { flag in invocation.values(flag).flatMap { [flag, $0] } }
    if words.isEmpty { words = RunPictures.words(beside: path) }
    let pictures = RunPictures(path, words, like: invocation, console)
    let page = ProgramPage(program, pictures, in: invocation.surroundings)
    let sentence = program.description.split(separator: "\n").joined(separator: " ").prefixSentence
    return Site.Page(
      file: file, title: program.title, summary: sentence, isProgram: true, body: page.body, contents: page.contents)
  }

  // MARK: Texts and folders

  /// Programs and texts: as named, or all of a folder, texts first.
  private func files() throws(ExitCode) -> [String] {
    var files: [String] = []
    for operand in invocation.operands {
      guard Files.isDirectory(operand) else {
        files.append(operand)
        continue
      }
      let folder = operand.hasSuffix("/") ? String(operand.dropLast()) : operand
      let names = Files.names(in: folder)
      let found = names.filter { $0.hasSuffix(".md") && $0 != "README.md" } + names.filter { $0.hasSuffix(".frp") }
      if found.isEmpty { throw wrong("there is no program and no text in `\(operand)`") }
      files += found.map { "\(folder)/\($0)" }
    }
    return files
  }

  private mutating func add(_ path: String, to site: inout Site) throws(ExitCode) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    if name.hasSuffix(".md") { return try addText(path, String(name.dropLast(3)), to: &site) }
    guard let source = ProgramFile.read(path, reporter) else { throw .wrongUsage }
    guard let program = documentation(source) else { throw code }
    for problem in program.problems {
      reporter.failure("\(path):\(problem.line): \(problem.text)")
      code = .programHasErrors
    }
    let base = name.hasSuffix(".frp") ? String(name.dropLast(4)) : name
    site.pages.append(page(program, path, file: site.file(for: base)))
  }

  private func addText(_ path: String, _ name: String, to site: inout Site) throws(ExitCode) {
    do {
      let text = String(decoding: try Files.contents(of: path), as: UTF8.self)
      site.pages.append(textPage(text, name, file: site.file(for: name)))
    } catch {
      reporter.failure("cannot read `\(path)`: \(error.message)")
      throw .wrongUsage
    }
  }

  private func textPage(_ text: String, _ name: String, file: String) -> Site.Page {
    let surroundings = invocation.surroundings
    let others = Set(invocation.operands.flatMap { Files.isDirectory($0) ? Files.names(in: $0) : [$0] })
    var html = MarkdownHTML(
      code: { code, language in
        guard language == "frp" else { return "<pre>\(SVG.escaped(code))</pre>\n" }
        return CodeHTML.html(code, in: surroundings) + LanePicture.pictures(of: code).map(ProgramPage.figure).joined()
      },
      target: { target in
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].split(separator: "/").last.map(String.init) ?? ""
        guard others.contains(where: { $0 == name || $0.hasSuffix("/" + name) }),
          name.hasSuffix(".md") || name.hasSuffix(".frp")
        else { return nil }
        let page = name.hasSuffix(".md") ? name.dropLast(3) : name.dropLast(4)
        return "\(page).html" + (parts.count > 1 ? "#\(parts[1])" : "")
      })
    let body = html.html(text)
    let headings = html.headings.filter { $0.level == 2 }.map {
      (title: $0.text.replacing("`", with: ""), anchor: $0.anchor, isInner: false)
    }
    let title = MarkdownText(text).title?.replacing("`", with: "") ?? name
    return Site.Page(file: file, title: title, body: body, contents: headings)
  }

  /// The reference of the built-ins, unless a text is it, and every diagnostic.
  private func addManual(to site: inout Site) {
    var own: [Site.Page] = []
    if !site.pages.contains(where: { $0.file == "reference.html" }) {
      let modules = invocation.host + (invocation.world?.modules() ?? [])
      own.append(textPage(Reference.markdown(modules), "reference", file: "reference.html"))
    }
    own.append(
      Site.Page(
        file: site.file(for: "errors"), title: "Errors and warnings",
        body: ErrorGallery.body(invocation.surroundings), contents: ErrorGallery.contents))
    site.pages.insert(contentsOf: own, at: site.pages.firstIndex(where: \.isProgram) ?? site.pages.count)
  }

  /// What the first page of the manual says before its lists.
  private static let introduction =
    "<p>frp runs programs of behaviors, which have a value at every moment, and events, which happen now and then. "
    + "What stands here was run: examples show what they gave, and pictures what happened.</p>\n"
}

extension String {
  /// Up to the first full stop that ends a sentence.
  fileprivate var prefixSentence: String {
    var end = startIndex
    while end < endIndex {
      let after = index(after: end)
      if self[end] == ".", after == endIndex || self[after] == " " { return String(self[..<after]) }
      end = after
    }
    return self
  }
}
