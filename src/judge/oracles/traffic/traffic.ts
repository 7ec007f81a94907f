import { type Contract, sessionOf } from '../../../toolkit/contract/index.js'
import type { Checks } from '../../checks/checks.js'
import type { MakeEvidence } from '../../record/evidence.js'
import { findingText } from '../../record/finding-text.js'
import { type CaseResult, invariantGroup, type StatedAnswer, withoutRequests } from '../../report/index.js'
import type { ComputeFunction } from '../../scenario/compute-function.js'
import { fill, type Variables } from '../../scenario/fill.js'
import type { Invariant, Invariants } from '../../scenario/invariant.js'
import type { Exchange } from '../../send/exchange.js'
import { readPath } from '../../send/redact/key-form.js'
import { connectionMethods } from '../../terms/contract-terms.js'
import { createCharges } from './charges.js'
import { EntityStore } from './entity-store.js'
import { judgeFalls } from './judge-falls.js'
import { orderVerdict, relationVerdict } from './judge-relation.js'
import { judgeResets } from './judge-resets.js'
import { SameJudge } from './judge-same.js'
import { SessionJudge, sessionStatements } from './judge-session.js'
import { judgeSteady } from './judge-steady.js'
import { judgeTexts } from './judge-texts.js'
import { everyAnswer, UnjudgedAnswers } from './judge-unjudged.js'
import type { Seen, TrafficJudge, TrafficVerdict } from './seen.js'
import { isAboutHeaders, StatedAnswers, seenAgain } from './stated-answers.js'

/** Options for judging the traffic of a run. */
export interface TrafficOptions {
  readonly contract: Contract
  readonly invariants: Invariants
  /** Variables of the contract: `limit.…` and `network.…`. */
  readonly variables: Variables
  /** `paths` of `x-http`. */
  readonly paths: readonly string[]
  readonly checks: Checks
  /** Functions that invariants compute. */
  readonly functions: Readonly<Record<string, ComputeFunction>>
  /** True if messages travel over connections, on which the server can call the client. */
  readonly hasConnections?: boolean | undefined
  /** Start of the run, in milliseconds since 1970 UTC. */
  readonly started: number
  /** URL of the target. */
  readonly url: string
}

/** Judges all answers of a run by the invariants. */
export interface Traffic {
  /** Judges an exchange that ended now, with its earlier attempts. */
  see(exchange: Exchange): void
  /** Judges an exchange of a stored run by the invariants that do not need the times of all requests. */
  seeStored(exchange: Exchange): void
  /** Judges an answer of a stored run by the invariants about headers. */
  seeAgain(stated: StatedAnswer): void
  /** What invariants about headers need to judge this run again. */
  stated(): readonly StatedAnswer[]
  /** Results of the invariants, each as a case. Invariants without an answer to judge are not applicable. */
  cases(evidence: MakeEvidence, cases: readonly CaseResult[]): readonly CaseResult[]
}

/** The statement about answers that no case judges. Every contract has it. */
const ofAnswers = {
  id: everyAnswer,
  invariant:
    'Answers that no case judges, such as those of fixtures, fit their schemas, and their errors are declared.',
  rules: [],
}

/**
 * All invariants of a run: id and sentence.
 * @param hasConnections true if messages travel over connections, whose sessions are judged, too
 */
export const invariantsOf = (
  contract: Contract,
  { invariants }: Invariants,
  hasConnections: boolean,
): readonly Pick<Invariant, 'id' | 'invariant'>[] => [
  ofAnswers,
  ...(hasConnections ? statementsOf(contract) : []),
  ...invariants,
]

/** Creates the judge of a run. It sends nothing, and its memory is bounded (`trafficDefaults`). */
export function createTraffic(options: TrafficOptions): Traffic {
  const { invariants, paths, checks, functions, variables } = options
  const same: SameJudge[] = []
  const store = new EntityStore(invariants.entities, options.contract, checks, (...again) => {
    for (const judge of same) judge.onAgain(...again)
  })
  const context = { store, schemas: checks.schema, functions, variables }
  const judges = invariants.invariants.map((invariant) => ({ invariant, judge: judgeOf(invariant) }))
  const chargeOf = createCharges(options.contract)
  const hasHeaders = invariants.invariants.some(isAboutHeaders)
  const stated = new StatedAnswers(invariants.invariants)
  const unjudged = new UnjudgedAnswers(checks)
  const statements = options.hasConnections === true ? statementsOf(options.contract) : []
  const session = new SessionJudge(statements, checks)
  const seers = (isMeant: (invariant: Invariant) => boolean) =>
    judges.flatMap(({ invariant, judge }) => (isMeant(invariant) ? [judge] : []))
  const [all, ofHeaders] = [seers(() => true), seers(isAboutHeaders)]
  const others = seers((invariant) => !isAboutHeaders(invariant))
  const see = (exchange: Exchange, received: number, seeing = all, isEarlier = false): void => {
    for (const earlier of exchange.earlier ?? []) {
      see(earlier, (earlier.sentAt ?? received) + earlier.milliseconds, seeing, true)
    }
    const sent = exchange.sentAt ?? received - exchange.milliseconds
    const clock = performance.timeOrigin + received
    const charged = hasHeaders ? chargeOf(exchange) : undefined
    const seen: Seen = { exchange, sent, received, clock, key: keyOf(exchange, paths), charged }
    stated.add(seen, options.started - performance.timeOrigin)
    for (const judge of seeing) judge.see?.(seen)
    store.see(seen)
    session.see(seen)
    if (exchange.outgoing.isOfRun === true || isEarlier) unjudged.see(seen)
  }
  return {
    see: (exchange) => see(exchange, performance.now()),
    seeStored: (exchange) => see(exchange, performance.now(), others),
    seeAgain(one) {
      const seen = seenAgain(one, options.started, options.url)
      for (const judge of ofHeaders) judge.see?.(seen)
    },
    stated: () => stated.items,
    cases: (evidence, cases) => [
      caseOf(ofAnswers, unjudged.verdict(cases), evidence),
      ...statements.map((one) => caseOf({ ...one, rules: [] }, session.verdict(one.method), evidence)),
      ...judges.map(({ invariant, judge }) => caseOf(invariant, judge.verdict(), evidence)),
    ],
  }

  function judgeOf({ form }: Invariant): TrafficJudge {
    switch (form.kind) {
      case 'falls':
        return judgeFalls(form)
      case 'steady':
        return judgeSteady(form)
      case 'resets':
        return judgeResets(form, Number(fill(form.window, variables)))
      case 'no-text':
        return judgeTexts(form)
      case 'same': {
        const judge = new SameJudge(form)
        same.push(judge)
        return { verdict: () => judge.verdict() }
      }
      case 'ordered':
        return { verdict: () => orderVerdict(form, context) }
      case 'relation':
        return { verdict: () => relationVerdict(form, context) }
    }
  }
}

/** Statements about a session. The items of subscriptions belong to the exchange that subscribes. */
function statementsOf(contract: Contract) {
  const items = [...connectionMethods(contract).subscriptions.values()].flatMap(({ notification, end }) =>
    end === undefined ? [notification] : [notification, end],
  )
  return sessionStatements(sessionOf(contract), new Set(items))
}

/** A key is part of the path where the contract states forms of paths, otherwise the whole URL and the credentials. */
function keyOf({ outgoing: { url, headers } }: Exchange, paths: readonly string[]): string {
  const { origin, pathname, search } = new URL(url)
  const { key } = readPath(pathname, paths, () => true)
  return JSON.stringify([
    origin,
    ...(key === undefined ? [pathname, search, headers['authorization']] : [key]),
  ])
}

function caseOf(
  { id, invariant: scenario, rules }: Pick<Invariant, 'id' | 'invariant' | 'rules'>,
  { compared, violations, violated, undecided, shows }: TrafficVerdict,
  evidence: MakeEvidence,
): CaseResult {
  const findings = violations.map(({ finding }) => finding)
  const [first] = findings
  const more = violated > 1 ? `, and ${violated - 1} more times` : ''
  const base = {
    ...{ id, group: invariantGroup, scenario, rules, effect: 'read' as const },
    ...withoutRequests,
    compared,
    ...(shows && { shows }),
  }
  if (first !== undefined) {
    const answers = violations[0]?.answers ?? []
    return {
      ...base,
      verdict: 'fail',
      reason: `${findingText([first])}${more}`,
      cause: `${id} ${first.where}`,
      findings: [{ ...first, got: `${first.got}${more}` }, ...findings.slice(1)],
      evidence: answers.map((answer) => ({ ...evidence(answer), shared: true })),
    }
  }
  if (undecided !== undefined) return { ...base, verdict: 'inconclusive', reason: undecided }
  if (compared > 0) return { ...base, verdict: 'pass' }
  return { ...base, verdict: 'not-applicable', reason: 'no answer of the run has what it is about' }
}
