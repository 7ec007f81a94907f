/** Styles a table as lists of labelled cells, for screens that are too narrow for its columns. */
function listed(table: string): string {
  return `
  ${table}, ${table} :is(tbody, tr, td) { display: block }
  ${table} thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  ${table} tr { padding: .4rem 0; border-bottom: 1px solid var(--line) }
  ${table} td { padding: .1rem 0; border: 0; overflow-wrap: anywhere }
  ${table} td:is(:empty, :not([data-label])) { display: none }
  ${table} td[data-label]::before { content: attr(data-label) ": "; color: var(--quiet); font-size: .85rem }
  ${table} td.name, ${table} td.name code { font-weight: 600 }
  ${table} td.name::before { content: none }
`
}

/** Returns the style of the HTML page: one column on a phone, contents beside the text on wider screens. */
export const referenceStyle = (): string => `
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2128; --quiet: #57606a; --line: #d5dae0;
  --shade: #f4f6f8; --link: #0b57b8; --mark: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181d; --ink: #e4e8ed; --quiet: #a3adb8; --line: #353d47; --shade: #1e242b; --link: #82b6ff;
    --mark: #ff9a90 }
}
*, ::before, ::after { box-sizing: border-box }
[hidden] { display: none !important }
html { scroll-padding-top: 5.75rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif;
  overflow-wrap: anywhere }
a { color: var(--link) }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: -100vw }
.skip:focus { left: .5rem; top: .5rem; z-index: 2; padding: .25rem .75rem; background: var(--paper) }
header, .bar, nav, main, footer { padding-inline: 1rem }
header { padding-block: 1.5rem .25rem }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.25 }
h1 span { color: var(--quiet); font-size: 1rem; font-weight: 400 }
h2 { margin: 3rem 0 1rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); font-size: 1.35rem }
h3 { margin: 0 0 .5rem; font-size: 1.1rem }
h3 a { color: inherit; text-decoration: none }
h3 a:hover { text-decoration: underline }
p, ul, ol { margin: .5rem 0 }
ul, ol { padding-left: 1.25rem }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
h3 code { font-size: 1em; font-weight: 600 }
h4 { margin: 1.25rem 0 .25rem; font-size: 1rem }
h5 { margin: 0; color: var(--quiet); font-size: .85rem; font-weight: 400 }
pre { margin: .25rem 0 .75rem; padding: .6rem .75rem; border-radius: 6px; background: var(--shade);
  white-space: pre-wrap }
.bar { position: sticky; top: 0; z-index: 1; padding-block: .6rem; background: var(--paper);
  border-bottom: 1px solid var(--line) }
.bar label { display: block; color: var(--quiet); font-size: .85rem }
.bar input { width: 100%; padding: .45rem .6rem; border: 1px solid var(--quiet); border-radius: 6px;
  background: var(--paper); color: inherit; font: inherit }
.bar output { position: absolute; right: 1rem; top: .6rem; color: var(--quiet); font-size: .85rem }
nav { padding-block: .75rem; font-size: .9rem }
nav ul { margin: 0; padding: 0; list-style: none }
nav ul ul { margin: .15rem 0 .5rem; padding-left: .75rem; border-left: 1px solid var(--line) }
nav a { display: inline-block; padding: .15rem 0; text-decoration: none }
nav a:hover { text-decoration: underline }
nav .group { display: block; margin-top: .35rem; color: var(--quiet) }
nav .old { text-decoration: line-through }
summary { cursor: pointer }
.item { margin: 0 0 1.5rem; padding: 1rem 0 0; border-top: 1px solid var(--line) }
h2 + .item { padding-top: 0; border-top: 0 }
:target > h3, tr:target > td:first-child { box-shadow: -4px 0 0 var(--link) }
h4 + table { margin-top: .25rem }
.example { margin: .75rem 0 }
.example summary { font-weight: 600 }
.example > div { display: flex; justify-content: space-between; align-items: end; margin: .5rem 0 .2rem }
button { padding: .2rem .7rem; border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
  color: var(--link); font: inherit; font-size: .85rem; cursor: pointer }
button:hover { border-color: var(--link) }
table { width: 100%; margin: .75rem 0; border-collapse: collapse; font-size: .925rem }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
th { color: var(--quiet); font-size: .85rem; font-weight: 400 }
footer { padding-block: 2rem; color: var(--quiet); font-size: .85rem }
main { container-type: inline-size }
table { overflow-wrap: break-word }
td.long { min-width: 6rem; overflow-wrap: anywhere }
@container (max-width: 43.99rem) { ${listed('table')} }
@container (max-width: 59.99rem) { ${listed('.crowded')} }
@container (min-width: 44rem) and (max-width: 59.99rem) {
  .crowded td:not(:empty) { display: inline-block; margin-right: 1.5rem }
  .crowded td.name { display: block }
}
@media (min-width: 72rem) {
  .page { display: grid; grid-template-columns: 23rem minmax(0, 1fr); max-width: 92rem; margin: 0 auto }
  nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding-block: 1.5rem;
    border-right: 1px solid var(--line) }
  nav summary { display: none }
  .text { min-width: 0; padding-inline: 1.5rem }
}
@media print { .bar, nav, .skip, button { display: none } }
`
