/** The style of the HTML page: one column on a phone, contents beside the text where there is room. */
export const referenceStyle = `
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
.example { margin: .5rem 0 }
.example h4 { margin: .5rem 0 .15rem; color: var(--quiet); font-size: .85rem; font-weight: 400 }
table { width: 100%; margin: .75rem 0; border-collapse: collapse; font-size: .925rem }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
th { color: var(--quiet); font-size: .85rem; font-weight: 400 }
footer { padding-block: 2rem; color: var(--quiet); font-size: .85rem }
@media (max-width: 51.99rem) {
  table, tbody, tr, td { display: block }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  tr { padding: .4rem 0; border-bottom: 1px solid var(--line) }
  td { padding: .1rem 0; border: 0 }
  td:empty, td:not([data-label]) { display: none }
  td[data-label]::before { content: attr(data-label) ": "; color: var(--quiet); font-size: .85rem }
  td.name { font-weight: 600 }
  td.name::before { content: none }
}
@media (min-width: 52rem) {
  table:not(.long) { overflow-wrap: break-word }
  td.long { overflow-wrap: anywhere }
  .long td:last-child:nth-child(n + 3) { min-width: 14rem }
}
@media (min-width: 72rem) {
  .page { display: grid; grid-template-columns: 23rem minmax(0, 1fr); max-width: 92rem; margin: 0 auto }
  nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding-block: 1.5rem;
    border-right: 1px solid var(--line) }
  nav summary { display: none }
  .text { min-width: 0; padding-inline: 1.5rem }
}
@media print { .bar, nav, .skip { display: none } }
`
