// How pages of documentation look: light and dark, from the width of a telephone on.

enum SiteStyle {
  static let css = """
    :root {
      color-scheme: light dark;
      --page: #ffffff; --ink: #24292f; --faint: #59636e; --line: #d0d7de; --fill: #f6f8fa; --link: #0550ae;
      --step: #1f5fcf; --event: #b62b16; --continuous: #1a7f37; --constant: #7d5300; --type: #7041c0; --wrong: #b3261e;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --page: #0d1117; --ink: #e6edf3; --faint: #9198a1; --line: #3d444d; --fill: #161b22; --link: #79b8ff;
        --step: #6cb0ff; --event: #ff8b7a; --continuous: #5fd07a; --constant: #e3b341; --type: #c9a6ff; --wrong: #ff8b7a;
      }
    }
    * { box-sizing: border-box; }
    html { scroll-padding-top: 1rem; }
    body {
      margin: 0; background: var(--page); color: var(--ink);
      font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; overflow-wrap: break-word;
    }
    .sheet { max-width: 1240px; margin: 0 auto; padding: 0 1.25rem 4rem; }
    main { min-width: 0; max-width: 860px; }
    h1 { font-size: 1.9rem; line-height: 1.2; margin: 1.6rem 0 1rem; }
    h2 { font-size: 1.35rem; margin: 2.6rem 0 .8rem; padding-top: .8rem; border-top: 1px solid var(--line); }
    h3 { font-size: 1.08rem; margin: 1.8rem 0 .5rem; }
    h4, h5, h6 { font-size: 1rem; margin: 1.3rem 0 .4rem; }
    a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .15em; }
    a:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
    code, pre { font-family: ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, monospace; }
    code { font-size: .9em; background: var(--fill); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
    a code { color: inherit; }
    pre {
      font-size: .86rem; line-height: 1.5; background: var(--fill); border: 1px solid var(--line); border-radius: 6px;
      padding: .75rem .9rem; overflow-x: auto; tab-size: 2;
    }
    .wide { overflow-x: auto; margin: 1rem 0; }
    figure.wide { border: 1px solid var(--line); border-radius: 6px; }
    figure svg { display: block; max-width: 100%; min-width: 42rem; height: auto; }
    table { border-collapse: collapse; font-size: .95rem; }
    th, td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); }
    th { color: var(--faint); font-weight: 600; }
    nav { font-size: .92rem; padding-top: 1.2rem; }
    nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
    nav a { text-decoration: none; }
    nav a:hover { text-decoration: underline; }
    nav a[aria-current] { color: var(--ink); font-weight: 600; }
    nav .pages { display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
    nav .contents { display: none; }
    nav .inner { padding-left: .9rem; font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .85em; }
    .list { padding-left: 1.2rem; }
    .list li { margin: .35rem 0; }
    .signature { margin: .2rem 0 .6rem; }
    .relations { color: var(--faint); font-size: .92rem; margin: .3rem 0; }
    .values { margin: .8rem 0; }
    .values dt, .values dd { margin: 0; }
    .values dd { margin-bottom: .3rem; }
    .values dd::before { content: "→ "; color: var(--faint); }
    details { margin: .5rem 0; }
    summary { color: var(--faint); font-size: .92rem; cursor: pointer; }
    .wrong { color: var(--wrong); white-space: pre-wrap; }
    .badge {
      font-size: .75rem; font-weight: 600; border: 1px solid currentColor; border-radius: 999px; padding: .05rem .55rem;
      vertical-align: .1em; white-space: nowrap;
    }
    .k-event { color: var(--event); } .k-step { color: var(--step); }
    .k-continuous, .k-moving { color: var(--continuous); } .k-constant { color: var(--constant); }
    .k-type { color: var(--type); } .k-word { font-weight: 600; } .k-comment { color: var(--faint); font-style: italic; }
    .k-text, .k-number { color: var(--constant); } .k-function { color: var(--ink); }
    @media (min-width: 700px) {
      .values { display: grid; grid-template-columns: minmax(0, auto) minmax(40%, 1fr); gap: .1rem .9rem; }
    }
    @media (min-width: 960px) {
      .sheet { display: grid; grid-template-columns: 230px minmax(0, 1fr); gap: 0 2.5rem; }
      nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding-bottom: 2rem; }
      nav .pages { display: block; }
      nav .pages li, nav .contents li { margin: .25rem 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
      nav .pages + .contents { border-top: 1px solid var(--line); padding-top: .8rem; }
      nav .contents { display: block; }
    }
    @media print { nav { display: none; } .sheet { display: block; } }

    """
}
