import type { JsonValue } from '../../../contract/index.js'
import type { Scenario } from '../../scenario/scenario.js'
import type { TransportTrouble } from '../../send/exchange.js'

/** What became of a case. */
export type Verdict =
  | 'pass'
  | 'tolerated'
  | 'fail'
  | 'no-answer'
  | 'known-fail'
  | 'stale'
  | 'inconclusive'
  | 'not-applicable'
  | 'not-run'
  | 'harness-error'

/** A chain's or service's head, as `x-head` of the contract says to read it. */
export interface Head {
  readonly number: string
  readonly hash: string
}

/** One thing that was not as it must be. */
export interface Finding {
  /** JSON pointer into what came, `/result` or `/items/0/error/code`; `status` and `header RateLimit` for those. */
  readonly where: string
  /** What was expected, in a few words. */
  readonly expected: string
  /** What came instead, in a few words: null, absent, empty and error are four words. */
  readonly got: string
}

/**
 * How a body in a report differs from the one that travelled: only its beginning is kept, a secret was replaced in it,
 * or it was no UTF-8. Undefined where it is the same.
 */
export type Alteration = 'cut' | 'redacted' | 'not-utf8'

/** A step as it was sent and answered, with every secret replaced. */
export interface Evidence {
  /** Number of the step, from 1. */
  readonly step: number
  readonly request: {
    readonly verb: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly altered: Alteration | undefined
  }
  readonly response:
    | {
        readonly status: number
        readonly headers: Readonly<Record<string, string>>
        readonly body: string
        readonly altered: Alteration | undefined
        /** The whole body where `body` is its beginning and no secret is in it: base64 of gzip. */
        readonly whole?: string | undefined
      }
    | undefined
  readonly trouble: TransportTrouble | undefined
  /** Exchanges of the same step behind this one that were not kept; undefined for none. */
  readonly omitted: number | undefined
  /** True where another case sent it, and its answer did for this one, too. */
  readonly shared?: boolean | undefined
  readonly milliseconds: number
  /** A line that sends the same again, with `$RPC_URL` for the target. */
  readonly curl: string
}

/** A case and what became of it. */
export interface CaseResult {
  readonly id: string
  readonly group: string
  readonly scenario: string
  readonly rules: readonly string[]
  readonly effect: Scenario['effect']
  readonly verdict: Verdict
  /** Why, for every verdict but pass: one sentence. */
  readonly reason: string | undefined
  /** Owner, date and reason of a known failure whose date has passed; undefined where there is none. */
  readonly expired?: string | undefined
  /** The same text for failures that look alike, whatever hashes and numbers differ; undefined for other verdicts. */
  readonly cause: string | undefined
  readonly findings: readonly Finding[]
  /** What was sent and came: for a failure, the exchange that the findings are about last. */
  readonly evidence: readonly Evidence[]
  /** The ids that the runner chose for the case's requests, in their order. */
  readonly ids: readonly number[]
  /** Head before and after, where the contract says how to read it and the case failed or follows it. */
  readonly head: { readonly before: Head; readonly after: Head } | undefined
  readonly billed: number
  readonly milliseconds: number
}

/** A rule of the contract and the cases that tried it. */
export interface RuleCoverage {
  readonly id: string
  readonly text: string
  readonly section: string
  readonly level: string
  /** JSON pointer of the rule in the contract. */
  readonly pointer: string
  readonly cases: readonly { readonly id: string; readonly verdict: Verdict }[]
}

/** A method, a parameter or an error of the contract and the cases that exercised it. */
export interface ElementCoverage {
  readonly kind: 'method' | 'parameter' | 'error'
  /** `book`, `book number`, `-32602 Invalid params`. */
  readonly id: string
  /** JSON pointer of the element in the contract. */
  readonly pointer: string
  readonly cases: RuleCoverage['cases']
}

/** A run. */
export interface Report {
  /** Version of this form. */
  readonly schema: 'concordat-conformance-report/2'
  readonly tool: { readonly name: string; readonly version: string }
  readonly contract: { readonly title: string; readonly version: string; readonly sha256: string }
  readonly target: {
    readonly url: string
    readonly network: string | undefined
    /** Numbers of the network that it answers otherwise than the contract states, by the member of `x-networks`. */
    readonly answers?: Readonly<Record<string, JsonValue>>
    readonly head: Head | undefined
  }
  readonly mode: {
    readonly allowed: readonly Scenario['effect'][]
    readonly budget: number | null
    readonly perSecond: number | null
    readonly concurrency: number
  }
  /** ISO 8601, UTC. */
  readonly started: string
  readonly milliseconds: number
  readonly requests: {
    readonly http: number
    readonly billed: number
    /** Requests of methods whose effect is not `read` that were sent. */
    readonly writes: number
    /** Requests that safe mode held back. */
    readonly heldBack: number
    /** Answers 429 and 503 that were waited for. */
    readonly limited: number
    /** Requests that came to no whole answer. */
    readonly unanswered: number
  }
  readonly counts: Readonly<Record<Verdict, number>>
  readonly cases: readonly CaseResult[]
  readonly rules: readonly RuleCoverage[]
  readonly elements: readonly ElementCoverage[]
  /** What fixtures found on the target, by the fixture's name: cases were filled in with it. */
  readonly fixtures: Readonly<Record<string, Readonly<Record<string, JsonValue>>>>
}
