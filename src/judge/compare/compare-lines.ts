import { createPaint, duration, groupBy, grouped, headNumber, numbered, type Paint } from '../report/index.js'
import type { ComparedRequest, ComparedSide, CompareReport } from './compare-report.js'

/** Options for printing a comparison. */
export interface CompareLinesOptions {
  readonly colours: boolean
  /** Returns the command that repeats one request. */
  readonly again: (request: ComparedRequest) => string
}

/** Characters of parameters to print. */
const LONGEST_PARAMS = 200

/** Formats a comparison for a terminal: each kind of difference once, with commands that reproduce it. */
export function compareLines(
  report: CompareReport,
  { colours, again }: CompareLinesOptions,
): readonly string[] {
  const paint = createPaint(colours)
  const of = (kind: ComparedRequest['comparison']) =>
    report.requests.filter(({ comparison }) => comparison === kind)
  const { contract, pinned, notes } = report
  return [
    '',
    `  Contract   ${contract.title} ${contract.version}   ${paint.faint(`sha256 ${contract.sha256.slice(0, 12)}…`)}`,
    `  A          ${sideText(report.a)}`,
    `  B          ${sideText(report.b)}`,
    `  Pinned     ${pinned === undefined ? 'nowhere' : `${headNumber(pinned.number)} (${pinned.hash}), which both have`}`,
    ...notes.map((note) => `  Note       ${paint.warn(note)}`),
    '',
    ...groups(of('different'), likeness).flatMap((group) => differenceLines(group, again, paint)),
    ...groups(of('unanswered'), ({ reason = '' }) => reason).flatMap((group) =>
      troubleLines(group, again, paint),
    ),
    ...(['inconclusive', 'not-compared', 'not-run'] as const).flatMap((kind) =>
      otherLines(kind, of(kind), paint),
    ),
    `  ${summaryText(report, paint)}`,
    '',
  ]
}

function groups(
  requests: readonly ComparedRequest[],
  key: (request: ComparedRequest) => string,
): readonly (readonly ComparedRequest[])[] {
  return [...groupBy(requests, key).values()]
}

function sideText({ url, stored, head, requests }: ComparedSide): string {
  const at = head === undefined ? 'head unknown' : `head ${headNumber(head.number)}`
  if (stored !== undefined) {
    const started = stored.started.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
    return `${stored.file} of ${started}, ${url}   ${at}`
  }
  return `${url}   ${at}, ${numbered(requests.http, 'request')}`
}

/** Groups differences with the same methods and the same places, apart from list indexes. */
function likeness({ methods, differences }: ComparedRequest): string {
  const places = differences.map(({ where }) => where.replaceAll(/\/\d+(?=\/|$)/g, '/*'))
  return JSON.stringify([[...new Set(methods)], [...new Set(places)]])
}

function differenceLines(
  group: readonly ComparedRequest[],
  again: CompareLinesOptions['again'],
  paint: Paint,
): readonly string[] {
  const [first, ...more] = group
  if (first === undefined) return []
  const [difference, ...others] = first.differences
  return [
    `  ${paint.bad('✗')} ${paint.strong(methodsText(first))}   ${first.case}`,
    `    params    ${paramsText(first)}`,
    ...(difference === undefined
      ? []
      : [
          `    at        ${difference.where}`,
          `    A         ${difference.a}`,
          `    B         ${difference.b}`,
        ]),
    ...others.slice(0, 3).map(({ where, a, b }) => `    also      ${where}: A ${a}, B ${b}`),
    ...(others.length > 3 ? [`              and at ${numbered(others.length - 3, 'more place')}`] : []),
    ...sameLines(more),
    ...askAgain(first, again),
    '',
  ]
}

function troubleLines(
  group: readonly ComparedRequest[],
  again: CompareLinesOptions['again'],
  paint: Paint,
): readonly string[] {
  const [first, ...more] = group
  if (first === undefined) return []
  return [
    `  ${paint.bad('✗')} ${paint.strong(methodsText(first))} was not answered   ${first.case}`,
    `    params    ${paramsText(first)}`,
    `    why       ${first.reason ?? ''}`,
    ...sameLines(more),
    ...askAgain(first, again),
    '',
  ]
}

function sameLines(more: readonly ComparedRequest[]): readonly string[] {
  if (more.length === 0) return []
  const cases = [...new Set(more.map((request) => request.case))]
  const named = cases.slice(0, 6).join(', ')
  return [`    same      ${numbered(more.length, 'more request')}: ${named}${cases.length > 6 ? ', …' : ''}`]
}

function askAgain(request: ComparedRequest, again: CompareLinesOptions['again']): readonly string[] {
  const { curl } = request
  return [
    ...[curl?.a, curl?.b].flatMap((line) => (line === undefined ? [] : [`    $ ${line}`])),
    `    again     ${again(request)}`,
  ]
}

function otherLines(
  kind: 'inconclusive' | 'not-compared' | 'not-run',
  requests: readonly ComparedRequest[],
  paint: Paint,
): readonly string[] {
  const lines = groups(requests, ({ reason = '' }) => reason).map((group) => {
    const cases = [...new Set(group.map((request) => request.case))]
    const named = cases.slice(0, 3).join(', ')
    const label = `${grouped(group.length)} ${kind.replace('-', ' ')}`.padEnd(20)
    return `  ${paint.warn(label)} ${group[0]?.reason ?? ''}  ${paint.faint(`(${named}${cases.length > 3 ? ', …' : ''})`)}`
  })
  return lines.length === 0 ? [] : [...lines, '']
}

function summaryText({ counts, requests, milliseconds }: CompareReport, paint: Paint): string {
  const words = [
    paint.good(`${grouped(counts.alike)} alike`),
    ...(counts.different > 0 ? [paint.bad(`${grouped(counts.different)} different`)] : []),
    ...(counts.unanswered > 0 ? [paint.bad(`${grouped(counts.unanswered)} not answered`)] : []),
    ...(counts.inconclusive > 0 ? [`${grouped(counts.inconclusive)} inconclusive`] : []),
    ...(counts['not-compared'] > 0 ? [`${grouped(counts['not-compared'])} not compared`] : []),
    ...(counts['not-run'] > 0 ? [`${grouped(counts['not-run'])} not run`] : []),
  ]
  const wordings = requests.filter(({ isWording }) => isWording).length
  const wording = wordings === 0 ? '' : `; ${grouped(wordings)} with other words in an error's message`
  return `${words.join(', ')}${wording}        ${duration(milliseconds)}`
}

function methodsText({ methods }: ComparedRequest): string {
  const names = [...new Set(methods)]
  return methods.length > 1 ? `${names.join(', ')} in a batch of ${methods.length}` : (names[0] ?? '')
}

function paramsText({ methods, params }: ComparedRequest): string {
  const text = JSON.stringify(methods.length > 1 ? params : (params[0] ?? []))
  return text.length > LONGEST_PARAMS ? `${text.slice(0, LONGEST_PARAMS)}… (${text.length} characters)` : text
}
