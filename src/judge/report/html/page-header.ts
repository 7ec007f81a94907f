import { markupText } from '../../../toolkit/report-formats/index.js'
import { completenessText } from '../completeness.js'
import type { Report } from '../report.js'
import { coverageSummaries } from '../text/coverage-words.js'
import { describe } from '../text/describe.js'
import { headlineOf } from '../text/headline-of.js'
import { notTestedText } from '../text/not-tested-text.js'
import { duration, grouped, headNumber, numbered } from '../text/words.js'
import { badCount } from '../verdicts.js'
import { verdictBar } from './verdict-bar.js'

/** Markup of the page header: contract, outcome, counts and facts of the run. */
export function pageHeader(report: Report): string {
  const { contract, counts } = report
  const { tone, text } = headlineOf(report)
  return [
    '<header>',
    '<p class="eyebrow">Conformance report</p>',
    `<h1>${markupText(`${contract.title} ${contract.version}`)}</h1>`,
    `<p class="headline ${tone}">${markupText(text)}</p>`,
    `<p class="untested">Not tested: ${markupText(notTestedText(report))}</p>`,
    `<p class="untested">Completeness: ${markupText(completenessText(report))}</p>`,
    verdictBar(counts),
    tilesMarkup(report),
    factsMarkup(report),
    navigation(report),
    '</header>',
  ].join('\n')
}

function tilesMarkup({ counts, rules, elements, requests }: Report): string {
  const [covered] = coverageSummaries({ rules, elements })
  const notRun = counts['not-run'] + counts['not-applicable'] + counts.inconclusive
  const known = counts['known-fail'] + counts.tolerated
  const tiles: readonly (readonly [number: string, words: string])[] = [
    [grouped(counts.pass), 'passed'],
    [grouped(badCount(counts)), 'failed'],
    [grouped(known), 'tolerated or known'],
    [grouped(notRun), 'not run or not applicable'],
    ...(covered === undefined
      ? []
      : [[`${grouped(covered.covered)} of ${grouped(covered.total)}`, `${covered.kind} covered`] as const]),
    [grouped(requests.writes), `writes among ${numbered(requests.billed, 'request')}`],
  ]
  return `<ul class="tiles">${tiles.map(([number, words]) => `<li><b>${unbroken(number)}</b><span>${unbroken(words)}</span></li>`).join('')}</ul>`
}

/** Keeps the digit groups of a number on one line. */
function unbroken(text: string): string {
  return text.replaceAll(/(?<=\d) (?=\d)/g, '&nbsp;')
}

function factsMarkup({ target, contract, mode, requests, started, milliseconds }: Report): string {
  const allowed = mode.allowed.filter((effect) => effect !== 'read')
  const bounds = [
    allowed.length === 0 ? 'safe: only methods that read' : `reading and ${allowed.join(', ')}`,
    mode.budget === null ? 'no budget' : `budget ${numbered(mode.budget, 'request')}`,
    ...(mode.perSecond === null ? [] : [`${grouped(mode.perSecond)} a second`]),
    ...(requests.heldBack > 0 ? [`${grouped(requests.heldBack)} held back`] : []),
    ...(requests.limited > 0 ? [`limited ${numbered(requests.limited, 'time')}`] : []),
    ...(requests.unanswered > 0 ? [`${grouped(requests.unanswered)} without an answer`] : []),
  ]
  const facts: readonly (readonly [string, string])[] = [
    ['Target', target.url],
    ...(target.network === undefined ? [] : [['Network', target.network] as const]),
    ...Object.entries(target.answers ?? {}).map(
      ([name, value]) => [`Answers ${name}`, describe(value)] as const,
    ),
    ...(target.head === undefined
      ? []
      : [['Head', `${headNumber(target.head.number)} (${target.head.hash})`] as const]),
    ['Contract', `sha256 ${contract.sha256}`],
    ['Mode', bounds.join(', ')],
    ['Run', `${started.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}, ${duration(milliseconds)}`],
  ]
  return `<dl class="facts">${facts.map(([name, text]) => `<dt>${markupText(name)}</dt><dd>${markupText(text)}</dd>`).join('')}</dl>`
}

function navigation({ counts, rules, elements, latency }: Report): string {
  const parts = [
    ...(badCount(counts) > 0 ? [['failures', 'Failures']] : []),
    ['cases', 'Cases'],
    ...(rules.length + elements.length > 0 ? [['coverage', 'Coverage']] : []),
    ...(latency !== undefined && latency.all.requests > 0 ? [['latency', 'Latency']] : []),
  ]
  return `<nav aria-label="Parts">${parts.map(([id, name]) => `<a href="#${id}">${name}</a>`).join('')}</nav>`
}
