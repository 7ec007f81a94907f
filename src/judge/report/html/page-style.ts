import { productTokens } from '../../../toolkit/report-formats/index.js'

/** Style sheet of the page, for light and dark themes, from phones to wide screens. */
export const pageStyle = `
${productTokens}
:root { --good-bar: #2f9e65; --idle-bar: light-dark(#b6bfca, #4a5460);
  --mark-bad: light-dark(#ffd3cf, #6d2522); --mark-good: light-dark(#c9efd8, #1c5537) }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 var(--sans) }
header, main, footer { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem }
header { padding-top: 2rem }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .75rem; text-wrap: balance }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem }
h3 { font-size: 1rem; margin: 0 }
p { margin: 0 0 .75rem }
a { color: var(--accent) }
code, pre { font: .8125rem/1.5 var(--mono) }
pre { margin: 0; padding: .6rem .75rem; background: var(--sunken); border-radius: .4rem; white-space: pre-wrap;
  overflow-wrap: anywhere; max-height: 24rem; overflow: auto }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .25rem }
.eyebrow { color: var(--quiet); font-size: .8125rem; letter-spacing: .04em; text-transform: uppercase; margin: 0 0 .25rem }
.headline { font-size: 1.125rem; font-weight: 600; margin: 0 0 1rem; padding: .75rem 1rem; border-radius: .6rem;
  border-left: .3rem solid; background: var(--good-paper); border-color: var(--good-bar); color: var(--good) }
.headline.bad { background: var(--bad-paper); border-color: var(--colour-4); color: var(--bad) }
.headline.warn { background: var(--raised); border-color: var(--colour-2); color: var(--warn) }
.bar { display: block; width: 100%; height: .6rem; border-radius: .3rem; overflow: hidden; background: var(--idle-bar) }
.bar rect { fill: var(--idle-bar) }
.bar .pass { fill: var(--good-bar) } .bar .tolerated, .bar .known-fail { fill: var(--colour-2) }
.bar .fail, .bar .no-answer, .bar .gave-up, .bar .stale, .bar .harness-error { fill: var(--colour-4) } .bar .inconclusive { fill: var(--colour-1) }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 1rem 0; padding: 0;
  list-style: none }
.tiles li { background: var(--raised); border: 1px solid var(--line); border-radius: .6rem; padding: .6rem .9rem }
.tiles b { display: block; font-size: 1.5rem; line-height: 1.25; font-variant-numeric: tabular-nums }
.tiles span { color: var(--quiet); font-size: .875rem }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem 1rem; margin: 1rem 0 0; font-size: .9375rem }
dl.facts dt { color: var(--quiet) } dl.facts dd { margin: 0; overflow-wrap: anywhere }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: 1.25rem }
.sheet { background: var(--raised); border: 1px solid var(--line); border-radius: .6rem }
.cause { padding: 1rem 1.1rem; margin: 0 0 1rem; border-left: .3rem solid var(--colour-4) }
.cause h4, .cause h3, .case summary b { overflow-wrap: anywhere } h4 { font-size: 1rem; margin: 0 }
.broken { margin: 0 0 2rem } .broken > h3 { font-size: 1.0625rem; color: var(--bad); text-wrap: balance; overflow-wrap: anywhere }
.broken > .rule { margin: .15rem 0 .6rem; overflow-wrap: anywhere }
.cause > p:first-of-type { display: flex; flex-wrap: wrap; gap: .1rem .75rem; margin: .1rem 0 .75rem }
code, .untested { overflow-wrap: anywhere }
.rule { color: var(--quiet); font-size: .9375rem }
.rule.head { margin: .75rem 0 0 } .rule code { color: var(--ink) }
.compare { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .35rem .75rem; margin: .5rem 0 .9rem }
.compare .at { grid-column: 1 / -1; display: flex; gap: .6rem; align-items: baseline } .compare dt { color: var(--quiet); font-size: .875rem }
.compare dd { margin: 0; overflow-wrap: anywhere } .compare .wanted, .compare .came { border: 1px solid var(--line); border-radius: .4rem;
  padding: .3rem .6rem .4rem; border-top: .2rem solid var(--good-bar) } .compare .came { border-top-color: var(--colour-4) }
.compare code { background: none } mark { color: inherit; border-radius: .2rem; padding: 0 .1rem }
.wanted mark { background: var(--mark-good) } .came mark { background: var(--mark-bad) }
.exchange { margin: .9rem 0 0 } .exchange > p { margin: .6rem 0 .25rem; color: var(--quiet); font-size: .875rem }
.copy { position: relative } .copy pre { padding-right: 4.75rem }
button { font: inherit; font-size: .875rem; color: var(--ink); background: var(--raised); border: 1px solid var(--line);
  border-radius: .4rem; padding: .25rem .7rem; cursor: pointer }
button:hover { border-color: var(--quiet) }
.copy button { position: absolute; top: .35rem; right: .35rem; font-size: .8125rem; padding: .1rem .5rem }
form { padding: .9rem 1.1rem; display: grid; gap: .75rem; margin-bottom: 1rem }
fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .4rem .5rem }
legend, label.field span { display: block; color: var(--quiet); font-size: .875rem; padding: 0; margin-bottom: .2rem }
.chip { display: inline-flex; align-items: center; gap: .4rem; border: 1px solid var(--line); border-radius: 1rem;
  padding: .15rem .7rem; font-size: .875rem; cursor: pointer }
.chip input { margin: 0; accent-color: var(--accent) }
.fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .75rem }
label.field input, label.field select { font: inherit; width: 100%; min-width: 0; padding: .4rem .5rem; color: var(--ink);
  background: var(--paper); border: 1px solid var(--quiet); border-radius: .4rem }
.found { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; margin: 0; color: var(--quiet) }
.group { margin: 0 0 .5rem } .group > summary { padding: .6rem .9rem; cursor: pointer; display: grid; gap: .15rem 1rem;
  grid-template-columns: minmax(7rem, 11rem) minmax(6rem, 1fr) minmax(10rem, 18rem); align-items: center; list-style: none }
.group > summary::-webkit-details-marker, .case > summary::-webkit-details-marker { display: none }
.group > summary :is(h3, h4)::before, .case > summary::before { content: '▸'; display: inline-block; width: 1.1em; color: var(--quiet) }
.group[open] > summary :is(h3, h4)::before, .case[open] > summary::before { content: '▾' }
.group > summary > span { color: var(--quiet); font-size: .875rem }
.case { border-top: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 2.75rem }
.case > summary { padding: .45rem .9rem; cursor: pointer; list-style: none; overflow-wrap: anywhere }
.case > summary small { color: var(--quiet); font-size: .875rem }
.case > div { padding: 0 .9rem 1rem 2rem }
.verdict { font-size: .8125rem; font-weight: 600; margin: 0 .5rem 0 0; color: var(--quiet); white-space: nowrap }
.verdict.pass { color: var(--good) } .verdict.fail, .verdict.no-answer, .verdict.gave-up, .verdict.stale, .verdict.harness-error { color: var(--bad) }
.verdict.tolerated, .verdict.known-fail { color: var(--warn) } .verdict.inconclusive { color: var(--accent) }
ul.names { margin: .25rem 0 .75rem; padding-left: 1.25rem } ul.names li { overflow-wrap: anywhere }
.covered { border-top: 1px solid var(--line); padding: .5rem .9rem; display: grid; gap: .1rem 1rem;
  grid-template-columns: minmax(10rem, 17rem) minmax(0, 1fr) minmax(7rem, 13rem); font-size: .9375rem; align-items: start }
.covered > * { overflow-wrap: anywhere; min-width: 0 } .covered p { margin: 0 } .covered small { color: var(--quiet); font-size: .8125rem }
.covered button { border: 0; background: none; color: var(--accent); text-decoration: underline; padding: 0; text-align: left;
  font: .8125rem/1.5 var(--mono); overflow-wrap: anywhere }
.chip { margin-top: .25rem } .more { margin-top: .75rem } .more > summary { cursor: pointer; color: var(--accent) }
.part { margin: 1.25rem 0 .6rem } dl.facts { margin-bottom: 1rem } .wide { overflow-x: auto; padding: 0 .9rem .9rem }
table { border-collapse: collapse; width: 100%; font-size: .875rem } th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0;
  border-top: 1px solid var(--line) } thead th { border: 0; color: var(--quiet); font-weight: 400 } td code { margin-right: .5rem }
.plot .median { fill: var(--accent) } .plot .most { fill: var(--colour-1); fill-opacity: .65 } .plot .tail { fill: var(--colour-1); fill-opacity: .35 }
.plot .maximum { fill: var(--colour-2) } .plot .pause { fill: var(--colour-2); fill-opacity: .3 } .plot .grid { fill: var(--line) }
figure.plot { margin: 0 0 1rem; padding: .9rem } figure.plot > svg { display: block; width: 100%; height: 10rem } figcaption, caption { color: var(--quiet);
  font-size: .875rem; text-align: left; margin-top: .5rem; padding: .5rem 0 } td.plot { width: 35%; min-width: 8rem; padding-right: 0 } td.plot svg { display: block; width: 100%; height: 1.1rem }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap } .latencies th { font-weight: 400 } .latencies code { white-space: nowrap }
footer { color: var(--quiet); font-size: .875rem; padding-top: 2.5rem; padding-bottom: 3rem; overflow-wrap: anywhere }
.script, [hidden] { display: none !important } .scripted .script { display: revert !important }
.scripted form.script { display: grid !important } .scripted [hidden] { display: none !important }
@media (max-width: 46rem) { header, main, footer { padding-left: .9rem; padding-right: .9rem } h1 { font-size: 1.4rem }
  .group > summary { grid-template-columns: minmax(0, 1fr) } .covered { grid-template-columns: minmax(0, 1fr) } .case > div { padding-left: .9rem }
  dl.facts { grid-template-columns: minmax(0, 1fr) } dl.facts dt { margin-top: .35rem }
  .compare { grid-template-columns: minmax(0, 1fr) }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)) } }
@media print { .scripted .script, .scripted form.script, nav, .copy button { display: none !important } body { background: none; font-size: 10pt } pre { max-height: none; font-size: 8pt }
  .cause { padding: .5rem .7rem } .copy pre { padding-right: .75rem } .compare, tr, h3, h4, .rule { break-inside: avoid } h2, h3, h4 { break-after: avoid } }
`
