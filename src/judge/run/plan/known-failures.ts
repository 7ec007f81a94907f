import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { type CaseResult, type Verdict, withoutRequests } from '../../report/index.js'
import { ScenarioError, type ScenarioProblem } from '../../scenario/scenario-error.js'
import { matchesPattern } from './pattern.js'

/** A known failure with an owner and an expiry date. */
export interface KnownFailure {
  /** Id of a case, or a pattern with `*`. */
  readonly case: string
  /** Pattern of the cause of the failure; undefined for every cause. */
  readonly cause?: string
  readonly reason: string
  readonly owner: string
  /** Last valid day (UTC), `YYYY-MM-DD`. */
  readonly expires: string
  readonly source: { readonly file: string; readonly line: number }
}

const REQUIRED = ['case', 'reason', 'owner', 'expires'] as const
const MEMBERS = [...REQUIRED, 'cause'] as const

/**
 * Reads a YAML list of known failures. Each entry has `case`, `reason`, `owner` and `expires`; `case` may be
 * a list. `cause` limits an entry to failures whose cause it matches.
 * @param file file name, for messages
 * @throws ScenarioError with every problem found
 */
export function readKnownFailures(text: string, file: string): readonly KnownFailure[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const problems: ScenarioProblem[] = []
  const place = (offset: number) => lines.linePos(offset)
  const problem = (offset: number, message: string) => {
    const { line, col } = place(offset)
    problems.push({ file, line, column: col, message })
  }
  for (const error of document.errors) problem(error.pos[0], (error.message.split('\n')[0] ?? '').trim())
  const known: KnownFailure[] = []
  if (problems.length === 0) {
    const root = document.contents
    if (!isSeq(root))
      problem(startOf(root), `expected a list of known failures, each with ${REQUIRED.join(', ')}`)
    else {
      for (const item of root.items as readonly Node[]) {
        for (const { offset, ...entry } of readEntry(item, problem)) {
          const other = known.find((known) => known.case === entry.case && known.cause === entry.cause)
          if (other !== undefined) problem(offset, `"${entry.case}" is already in line ${other.source.line}`)
          known.push({ ...entry, source: { file, line: place(offset).line } })
        }
      }
    }
  }
  if (problems.length > 0) throw new ScenarioError(problems)
  return known
}

type Entry = Omit<KnownFailure, 'source'> & { readonly offset: number }

type Problem = (offset: number, message: string) => void

/** Reads one entry of the list. An entry with several cases gives several known failures. */
function readEntry(item: Node, problem: Problem): readonly Entry[] {
  if (!isMap(item)) {
    problem(startOf(item), `a known failure has ${REQUIRED.join(', ')}`)
    return []
  }
  const texts: Record<string, string> = {}
  let cases: readonly Pick<Entry, 'case' | 'offset'>[] = []
  let sound = true
  const refuse = (offset: number, message: string) => {
    sound = false
    problem(offset, message)
  }
  for (const { key, value } of item.items) {
    const name = isScalar(key) ? String(key.value) : ''
    const node = (isScalar(value) ? value : key) as Node
    if (!MEMBERS.some((member) => member === name)) {
      refuse(startOf(key as Node), `"${name}" is not a member of a known failure: ${MEMBERS.join(', ')}`)
    } else if (name === 'case' && isSeq(value)) {
      cases = casesOf(value.items as readonly Node[], refuse)
      if (value.items.length === 0) refuse(startOf(value), 'case must be a string, or a list of strings')
    } else if (!isScalar(value) || typeof value.value !== 'string' || value.value.trim() === '') {
      refuse(startOf(node), `${name} must be a string`)
    } else if (name === 'expires' && !isDate(value.value)) {
      refuse(startOf(node), 'expires must be a date such as 2027-01-31')
    } else if (name === 'case') cases = [{ case: value.value, offset: startOf(item) }]
    else texts[name] = value.value
  }
  for (const name of REQUIRED) {
    if (!item.has(name)) refuse(startOf(item), `${name} is missing`)
  }
  const { cause, reason = '', owner = '', expires = '' } = texts
  const told = { ...(cause === undefined ? {} : { cause }), reason, owner, expires }
  return sound ? cases.map((one) => ({ ...one, ...told })) : []
}

function casesOf(items: readonly Node[], refuse: Problem): readonly Pick<Entry, 'case' | 'offset'>[] {
  return items.flatMap((item) => {
    if (isScalar(item) && typeof item.value === 'string' && item.value.trim() !== '') {
      return [{ case: item.value, offset: startOf(item) }]
    }
    refuse(startOf(item), 'a case must be a string')
    return []
  })
}

function startOf(node: Node | null): number {
  return node?.range?.[0] ?? 0
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** Verdicts that make a known failure stale. */
const PASSING: ReadonlySet<Verdict> = new Set(['pass', 'tolerated'])

/** Verdicts that a known failure may expect. */
const FAILING: ReadonlySet<Verdict> = new Set(['fail', 'no-answer'])

/**
 * Applies known failures to case results.
 *
 * - A case that failed, or got no answer, becomes `known-fail`.
 * - A failure with an expired entry keeps its verdict and names the owner.
 * - An entry is `stale` when no case failed and one passes, or when it matches no case. A pattern is stale only if all of its
 *   cases were selected. An entry for generated cases is never stale, because each seed sends other calls.
 *
 * @param catalogue ids of all cases, including those not selected
 * @param today current day (UTC), `YYYY-MM-DD`
 */
export function applyKnownFailures(
  cases: readonly CaseResult[],
  known: readonly KnownFailure[],
  catalogue: readonly string[],
  today: string,
): readonly CaseResult[] {
  const selected = new Set(cases.map(({ id }) => id))
  const isWhole = ({ case: pattern }: KnownFailure) =>
    !pattern.includes('*') || catalogue.every((id) => selected.has(id) || !matchesPattern(pattern, id))
  const judged = cases.map((result) => {
    const entries = known.filter((entry) => matchesPattern(entry.case, result.id))
    if (FAILING.has(result.verdict)) {
      const matching = entries.filter((entry) => hasCause(entry, result))
      return matching.length === 0 ? result : knownOrExpired(result, matching, today)
    }
    if (!PASSING.has(result.verdict)) return result
    const stale = entries.find((entry) => !isGenerated(entry) && isWhole(entry) && noneFailed(entry, cases))
    return stale === undefined ? result : staleCase(result, stale)
  })
  const unmatched = known.filter(
    (entry) => !isGenerated(entry) && !catalogue.some((id) => matchesPattern(entry.case, id)),
  )
  return [...judged, ...unmatched.map(namesNothing)]
}

/** True for an entry of generated cases. */
function isGenerated(entry: KnownFailure): boolean {
  return entry.case.startsWith('explored/')
}

function hasCause({ cause }: KnownFailure, result: CaseResult): boolean {
  return cause === undefined || matchesPattern(cause, result.cause ?? '')
}

function knownOrExpired(result: CaseResult, entries: readonly KnownFailure[], today: string): CaseResult {
  const valid = entries.find(({ expires }) => expires >= today)
  if (valid !== undefined) {
    const reason = `${valid.reason} (known to ${valid.owner} until ${valid.expires})`
    return { ...result, verdict: 'known-fail', reason }
  }
  const [{ owner, expires, reason } = { owner: '', expires: '', reason: '' }] = entries
  const expired = `known to ${owner} until ${expires}, now expired: ${reason}`
  return {
    ...result,
    expired,
    reason: result.reason === undefined ? expired : `${result.reason}; ${expired}`,
  }
}

function noneFailed(entry: KnownFailure, cases: readonly CaseResult[]): boolean {
  return !cases.some(
    (one) => FAILING.has(one.verdict) && matchesPattern(entry.case, one.id) && hasCause(entry, one),
  )
}

function staleCase(result: CaseResult, { reason, source }: KnownFailure): CaseResult {
  return {
    ...result,
    verdict: 'stale',
    reason: `it passes now: remove the known failure in ${source.file}:${source.line} ("${reason}")`,
  }
}

function namesNothing({ case: pattern, source }: KnownFailure): CaseResult {
  return {
    id: pattern,
    group: 'known failures',
    scenario: 'A known failure names an existing case.',
    rules: [],
    effect: 'read',
    verdict: 'stale',
    ...withoutRequests,
    reason: `unknown case "${pattern}": correct or remove ${source.file}:${source.line}`,
  }
}
