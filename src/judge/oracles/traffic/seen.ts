import type { RecordedExchange } from '../../record/evidence.js'
import type { CaseResult, Finding } from '../../report/index.js'
import type { HeaderNumber } from '../../scenario/invariant.js'
import type { Exchange } from '../../send/exchange.js'
import type { ChargedRequest } from './charges.js'

/** Limits of what a run remembers of its answers. */
export const trafficDefaults = {
  /** Answers whose headers are compared with each other. Of more, the oldest are forgotten. */
  rememberedAnswers: 5_000,
  /** Size of the longest body that is kept of such an answer, in bytes. */
  bodyBytes: 2 * 1024,
  /** Size of the bodies that are kept of answers with entities, in bytes. */
  entityBodyBytes: 64 * 1024 * 1024,
  /** Characters of an answer in which entities are searched. Longer answers are not searched. */
  searchedCharacters: 8 * 1024 * 1024,
  /** Maximum number of entities that are remembered from one place in an answer. */
  entitiesOfAnAnswer: 2_000,
  /** Maximum numbers of remembered entities, and of differing values of one entity. The oldest are forgotten first. */
  rememberedEntities: 20_000,
  valuesOfAnEntity: 4,
  /** Entities for which one invariant calls functions, such as hashes. */
  computedEntities: 500,
  /** Findings that are remembered in answers that no case judges. */
  unjudgedFindings: 100,
  /** Size of the longest body that is kept of such an answer, in bytes. */
  unjudgedBytes: 1024 * 1024,
  /** Violations of one invariant that a report describes; further ones are counted. */
  shownViolations: 4,
} as const

/** An exchange of a run. Times are milliseconds on one clock. */
export interface Seen {
  readonly exchange: Exchange
  /** Time before which the service had nothing of the request. */
  readonly sent: number
  /** Time after which the answer was complete. */
  readonly received: number
  /** Time of the answer in milliseconds since 1970 UTC, by the clock of this machine. */
  readonly clock: number
  /** Tells the keys of the run apart. */
  readonly key: string
  /** What the request was charged; undefined if no invariant is about headers. */
  readonly charged?: ChargedRequest | undefined
  /** Size of the body of the answer in bytes, if the body is forgotten. */
  readonly wholeBytes?: number
}

/** A violation of an invariant, with the answers that show it in order of time. */
export interface Violation {
  readonly finding: Finding
  readonly answers: readonly RecordedExchange[]
}

/** Verdict of an invariant after a run. */
export interface TrafficVerdict {
  /** Number of answers, or comparisons of answers, that could have violated it. */
  readonly compared: number
  /** The first violations. */
  readonly violations: readonly Violation[]
  /** Number of all violations. */
  readonly violated: number
  /** Reason why deviating answers prove nothing; undefined if there are none. */
  readonly undecided?: string | undefined
  /** Causes of deviations that the answers show. */
  readonly shows?: CaseResult['shows']
}

/** Judges the answers of a run by one invariant. */
export interface TrafficJudge {
  /** Absent if the judge reads the entities at the end of the run. */
  readonly see?: (seen: Seen) => void
  verdict(): TrafficVerdict
}

/** Records an exchange as evidence of a violation. */
export function recorded({ exchange, wholeBytes }: Seen, step: number): RecordedExchange {
  return wholeBytes === undefined ? { step, exchange } : { step, exchange, wholeBytes }
}

/**
 * Forgets a long body, so that a run can remember many exchanges. It is forgotten as a whole, because redaction would
 * not recognize the beginning of a secret.
 * @param most size of the longest body that is kept, in bytes
 */
export function withoutLongBody(seen: Seen, most: number = trafficDefaults.bodyBytes): Seen {
  const { exchange } = seen
  const { reply } = exchange
  if (reply === undefined || reply.bytes.length <= most) return seen
  const light = { ...exchange, reply: { ...reply, bytes: new Uint8Array(), text: undefined } }
  return { ...seen, exchange: light, wholeBytes: reply.bytes.length }
}

/** A list that forgets its oldest items. */
export class Latest<Item> {
  readonly #items: Item[] = []
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get items(): readonly Item[] {
    return this.#items
  }

  add(item: Item): void {
    this.#items.push(item)
    if (this.#items.length > 2 * this.#most) this.#items.splice(0, this.#items.length - this.#most)
  }
}

/** Collects violations, and describes only the first ones. */
export class Violations {
  readonly #shown: Violation[] = []
  #violated = 0

  add(violation: () => Violation): void {
    this.#violated++
    if (this.#shown.length < trafficDefaults.shownViolations) this.#shown.push(violation())
  }

  verdict(compared: number): TrafficVerdict {
    return { compared, violations: this.#shown, violated: this.#violated }
  }
}

/** A value that a header states, and what the header is about. */
export interface HeaderValue {
  readonly value: string
  /** Key and scope. Values are compared within one. */
  readonly group: string
  /** The whole header. */
  readonly text: string
}

/** Creates a function that reads the value of an invariant from an answer. */
export function headerReader({ header, pattern, by }: HeaderNumber): (seen: Seen) => HeaderValue | undefined {
  const valueIn = new RegExp(pattern, 'u')
  const scopeIn = by === undefined ? undefined : new RegExp(by, 'u')
  return ({ exchange: { reply }, key }) => {
    const text = reply?.headers[header]
    const value = text === undefined ? undefined : valueIn.exec(text)?.[1]
    if (text === undefined || value === undefined) return undefined
    const scope = scopeIn === undefined ? '' : scopeIn.exec(text)?.[1]
    return scope === undefined ? undefined : { value, group: `${key} ${scope}`, text }
  }
}
