import { isArray, isObject, type JsonValue, parseJson, stringMember } from '../../toolkit/contract/index.js'
import { KnownHeads } from '../forms/known-heads.js'
import { exchangeOf, Unjudged } from '../record/stored-answers.js'
import type { CaseResult, Evidence, Head, Report } from '../report/index.js'
import type { Scenario } from '../scenario/scenario.js'
import type { Exchange, Outgoing } from '../send/exchange.js'
import type { Target } from '../send/target.js'
import type { HeadQuestion } from '../terms/contract-terms.js'
import type { Side } from './compare-request.js'

/** A report whose answers are compared instead of new ones of a deployment. */
export interface Recording {
  /** Its file, as the user named it. */
  readonly file: string
  readonly report: Report
}

/**
 * Creates a side whose answers are those of a report. Its `send` throws Unjudged for a call that the report has no
 * whole answer to.
 * @param results the cases whose calls were plain and sent with the target's own key
 */
export function storedSide(
  { file, report }: Recording,
  target: Target,
  question: HeadQuestion | undefined,
  results: readonly CaseResult[],
): Side {
  const stored = new Map<string, Evidence>()
  for (const evidence of results.flatMap((result) => result.evidence)) {
    const key = callKey(evidence.request.body)
    if (key === undefined) continue
    if (stored.get(key)?.response === undefined) stored.set(key, evidence)
  }
  const head = question && heldHead(report, question, [...stored.values()])
  return {
    url: target.urlFor(),
    stored: report.target,
    blocks: question && {
      head: {
        last: () => head,
        before: () => head,
        read: async () => head,
        readFirst: async () => head,
        cachedMilliseconds: 0,
      },
      at: async (number) => (report.target.head?.number === String(number) ? report.target.head : undefined),
    },
    send: async (outgoing) => {
      const evidence = stored.get(callKey(Buffer.from(outgoing.body ?? []).toString()) ?? '')
      if (evidence === undefined) throw new Unjudged(`${file} has no answer to this call`)
      return storedExchange(evidence, outgoing)
    },
  }
}

/** A request of a report. */
type StoredRequest = Evidence['request']

/** Returns the requests of one case in the given reports, each call or batch once, whatever its ids. */
export function storedRequests(results: readonly CaseResult[]): readonly StoredRequest[] {
  const distinct = new Map<string, StoredRequest>()
  for (const { request } of results.flatMap(({ evidence }) => evidence)) {
    const key = callKey(request.body) ?? request.body
    if (!distinct.has(key)) distinct.set(key, request)
  }
  return [...distinct.values()]
}

/**
 * Returns a request that sends a stored one again, with its ids and without its headers, which may be secret.
 * @throws Unjudged if the report does not contain the request as a whole, or it is no call
 */
export function sentAgain(
  { verb, body, altered }: StoredRequest,
  { builtIn }: Scenario,
  { url }: Side,
): Outgoing {
  if (altered === 'cut') throw new Unjudged('a long request is truncated in the report')
  if (altered === 'redacted') throw new Unjudged('a secret in a request is redacted')
  const calls = callsIn(body)
  if (calls === undefined) throw new Unjudged('a request in the report is no call')
  return {
    verb,
    url,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(body),
    methods: calls.map((call) => stringMember(call, 'method') ?? ''),
    billed: calls.length,
    builtIn,
    effect: 'read',
  }
}

/** @throws Unjudged for an answer that the report does not contain as a whole */
function storedExchange(evidence: Evidence, outgoing: Outgoing): Exchange {
  return exchangeOf(evidence, { ...outgoing, body: Buffer.from(evidence.request.body) })
}

/** The head of a report; undefined if its answers show that it moved during the run. */
function heldHead(report: Report, question: HeadQuestion, evidence: readonly Evidence[]): Head | undefined {
  const { head } = report.target
  let hasMoved = false
  const heads = new KnownHeads(question, () => {
    hasMoved = true
  })
  for (const one of evidence) {
    const methods = callsIn(one.request.body)?.map((call) => stringMember(call, 'method') ?? '')
    const outgoing = { verb: 'POST', url: '', headers: {}, body: undefined, methods, billed: 1 }
    try {
      heads.see(storedExchange(one, { ...outgoing, builtIn: false, effect: 'read' }))
    } catch (error) {
      if (!(error instanceof Unjudged)) throw error
    }
  }
  const [moving] = question.moving
  const seen = moving === undefined ? undefined : heads.of(moving)
  return hasMoved || (seen !== undefined && seen.hash !== head?.hash) ? undefined : head
}

/** Returns a key that is the same for equal calls or batches with other ids; undefined for a body that is no call. */
function callKey(body: string): string | undefined {
  const calls = callsIn(body)
  if (calls === undefined) return undefined
  const list = calls.map(({ id: _, ...rest }) => rest)
  return JSON.stringify(body.trimStart().startsWith('[') ? list : list[0])
}

function callsIn(body: string): readonly Readonly<Record<string, JsonValue | undefined>>[] | undefined {
  const json = parseJson(body)
  const calls = isArray(json) ? json : [json]
  return calls.every((call) => isObject(call)) ? calls : undefined
}
