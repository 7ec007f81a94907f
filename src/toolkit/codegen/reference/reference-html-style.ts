/** Styles a table as lists of labelled cells, for screens that are too narrow for its columns. */
function listed(table: string): string {
  return `
  .reference { ${table}, ${table} :is(tbody, tr, td) { display: block }
  ${table} thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  ${table} tr { padding: .4rem 0; border-bottom: 1px solid var(--line) }
  ${table} td { padding: .1rem 0; border: 0; overflow-wrap: anywhere }
  ${table} td:is(:empty, :not([data-label])) { display: none }
  ${table} td[data-label]::before { content: attr(data-label) ": "; color: var(--quiet); font-size: .85rem }
  ${table} td.name, ${table} td.name code { font-weight: 600 }
  ${table} td.name::before { content: none } }
`
}

/** Styles of the offline page only; the pages of the service have those of its shell. Both use the same tokens. */
export const offlineStyle = `
*, ::before, ::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: var(--size-3)/1.55 var(--sans); overflow-wrap: anywhere }
main { max-width: var(--wide); margin: 0 auto; padding: var(--space-5) var(--space-4) var(--space-7) }
a { color: var(--accent) }
code, pre { font-family: var(--mono); font-size: .9em }
h1, h2, h3 { font-weight: 650; letter-spacing: -.015em; line-height: 1.25 }
h1 { margin: 0 0 var(--space-3); font-size: var(--size-5) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.skip { position: absolute; left: -100vw }
.skip:focus { left: .5rem; top: .5rem; z-index: 2; padding: .25rem .75rem; background: var(--paper) }
button, input { border: 1px solid var(--edge); border-radius: var(--round); background: var(--raised); color: inherit; font: inherit }
button { cursor: pointer }
`

/** The style of the reference, on the page of its own and within the service: contents beside the text on wide screens. */
export const referenceStyle = (): string => `
html:has(.reference) { scroll-padding-top: 5.75rem }
.reference {
  & [hidden] { display: none !important }
  & h1 span { color: var(--quiet); font-size: var(--size-3); font-weight: 400 }
  & h2 { margin: 0 0 1rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); font-size: var(--size-5) }
  & .chapter { margin: var(--space-6) 0 0 }
  & h3 { margin: 0 0 .5rem; font-size: var(--size-4) }
  & h3 a { color: inherit; text-decoration: none }
  & h3 a:hover { text-decoration: underline }
  & h3 code { font-size: 1em; font-weight: 600 }
  & h4 { margin: 1.25rem 0 .25rem; font-size: var(--size-3); font-weight: 600 }
  & h5 { margin: 0; color: var(--quiet); font-size: var(--size-1); font-weight: 400 }
  & :is(p, ul, ol) { max-width: none; margin: .5rem 0 }
  & :is(ul, ol) { padding-left: 1.25rem }
  & pre { margin: .25rem 0 .75rem; padding: .6rem .75rem; border-radius: var(--round); background: var(--sunken); white-space: pre-wrap }
  & .bar { position: sticky; top: 0; z-index: 1; padding-block: .6rem; background: var(--paper); border-bottom: 1px solid var(--line); box-shadow: -4px 0 0 var(--paper) }
  & .bar label { display: block; color: var(--quiet); font-size: var(--size-1); font-weight: 400 }
  & .bar input { width: 100%; margin: 0; padding: .45rem .6rem }
  & .bar output { position: absolute; right: 0; top: .6rem; color: var(--quiet); font-size: var(--size-1) }
  & .contents { font-size: var(--size-2) }
  & .contents ul { margin: 0; padding: 0; list-style: none }
  & .contents ul ul { margin: .15rem 0 .5rem; padding-left: .75rem; border-left: 1px solid var(--line) }
  & .contents a { display: inline-block; padding: .15rem 0; text-decoration: none }
  & .contents a:hover { text-decoration: underline }
  & .contents .group { display: block; margin-top: .35rem; color: var(--quiet) }
  & .contents .old { text-decoration: line-through }
  & summary { margin: 0; cursor: pointer }
  & .item { margin: 0 0 1.5rem; padding: 1rem 0 0; border-top: 1px solid var(--line) }
  & .item:target > h3, & tr:target > td:first-child { box-shadow: -4px 0 0 var(--accent) }
  & .example { margin: .75rem 0 }
  & .example summary { font-weight: 600 }
  & .example > div { display: flex; justify-content: space-between; align-items: end; margin: .5rem 0 .2rem }
  & .example button { min-height: 0; padding: .1rem .7rem; border-color: var(--edge); background: var(--raised); color: var(--ink); font-size: var(--size-1); font-weight: 500 }
  & table { width: 100%; margin: .75rem 0; border-collapse: collapse; font-size: var(--size-2); overflow-wrap: break-word }
  & :is(th, td) { padding: .4rem .75rem .4rem 0; border: 0; border-bottom: 1px solid var(--line); background: none; text-align: left; vertical-align: top; white-space: normal }
  & th { color: var(--quiet); font-size: var(--size-1); font-weight: 400 }
  & table td[role] a { text-decoration: underline }
  & a:has(> code) { text-underline-offset: .3em }
  & td.long { min-width: 6rem; overflow-wrap: anywhere }
  & .text { min-width: 0; container-type: inline-size }
}
@container (max-width: 43.99rem) { ${listed('& table')} }
@container (max-width: 59.99rem) { ${listed('& .crowded')} }
@container (min-width: 44rem) and (max-width: 59.99rem) {
  .reference .crowded td:not(:empty) { display: inline-block; margin-right: 1.5rem }
  .reference .crowded td.name { display: block }
}
@media (min-width: 62rem) {
  .reference { display: grid; grid-template-columns: 18rem minmax(0, 1fr); gap: var(--space-5) }
  .reference .contents { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding-block: var(--space-3) }
  .reference .contents summary { display: none }
}
@media print { .reference :is(.bar, .contents, button) { display: none } }
`
