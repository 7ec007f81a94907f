import type { JsonObject, JsonValue } from '../../toolkit/contract/index.js'

/** Verdict of a case. */
export type Verdict =
  | 'pass'
  | 'tolerated'
  | 'fail'
  | 'no-answer'
  | 'gave-up'
  | 'known-fail'
  | 'stale'
  | 'inconclusive'
  | 'not-applicable'
  | 'not-run'
  | 'harness-error'

/** The effect of a case on the tested service. Safe mode only sends `read`. */
export type Effect = 'read' | 'write' | 'spends-quota'

/** Head of a chain or service, read as `x-head` says. */
export interface Head {
  readonly number: string
  readonly hash: string
}

/** One deviation from an expectation. */
export interface Finding {
  /** JSON pointer into the answer (`/result`, `/items/0/error/code`), or `status`, or `header RateLimit`. */
  readonly where: string
  /** Short description of the expected value. */
  readonly expected: string
  /** Short description of the actual value. The words null, absent, empty and error are distinct. */
  readonly got: string
}

/** A rule that holds for every answer, whatever its case is about, and that an answer violates. */
export interface ViolatedRule {
  readonly id: string
  /** The rule in one sentence. */
  readonly text: string
  /** JSON pointer into the contract, such as that of the schema's keyword. */
  readonly pointer?: string
  /** The method of the answer. */
  readonly method?: string
  /** True if no expectation of the case itself failed. */
  readonly isAlone?: boolean
}

/**
 * How a body in a report differs from the original. It may be truncated, redacted, or not valid UTF-8.
 * Undefined means unchanged.
 */
export type Alteration = 'cut' | 'redacted' | 'not-utf8'

/** The reason why no complete response arrived. */
export interface TransportTrouble {
  readonly kind: 'unreachable' | 'reset' | 'timeout' | 'too-large' | 'bad-encoding' | 'other'
  /** One sentence, without secrets. */
  readonly message: string
}

/** A sent request and its response, with every secret replaced. */
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
        /** Whole body (base64 of gzip), when `body` is truncated and contains no secret. */
        readonly whole?: string | undefined
        /** All messages of a subscription in order of arrival, responses included. */
        readonly messages?: readonly string[] | undefined
      }
    | undefined
  readonly trouble: TransportTrouble | undefined
  /** Number of later exchanges of the same step that were not kept; undefined if all were kept. */
  readonly omitted: number | undefined
  /** True when another case sent the request and shared the answer. */
  readonly shared?: boolean | undefined
  /**
   * The form of the call if it was not sent alone, such as `as item 2 of a batch of 3`. Request and answer are
   * then those of the item.
   */
  readonly form?: string | undefined
  readonly milliseconds: number
  /** Shell command that repeats the request, with `$RPC_URL` as the target. */
  readonly curl: string
}

/** Group of the results of invariants. */
export const invariantGroup = 'invariants'

/** Result of a case. */
export interface CaseResult {
  readonly id: string
  readonly group: string
  readonly scenario: string
  readonly rules: readonly string[]
  readonly effect: Effect
  readonly verdict: Verdict
  /** Reason in one sentence, for every verdict except `pass`. */
  readonly reason: string | undefined
  /** Owner, date and reason of an expired known failure. */
  readonly expired?: string | undefined
  /** Key that groups failures with the same cause, whatever their hashes and numbers. */
  readonly cause: string | undefined
  readonly findings: readonly Finding[]
  /** Set if the case failed by a rule for every answer. Otherwise the case failed by its own rule. */
  readonly violated?: ViolatedRule | undefined
  /** Set if the case did not run because this other case did not pass. */
  readonly waitedFor?: string | undefined
  /** Exchanges of the case. For a failure, the last one is the exchange with the findings. */
  readonly evidence: readonly Evidence[]
  /** Request ids that the runner chose, in order. */
  readonly ids: readonly number[]
  /** Head before and after a failed or inconclusive case, when both could be read. */
  readonly head: { readonly before: Head; readonly after: Head } | undefined
  readonly billed: number
  readonly milliseconds: number
  /** The fixture without which the case is not applicable. */
  readonly lacks?: { readonly fixture: string; readonly isOptional: boolean } | undefined
  /** For an invariant: number of answers, or of comparisons of answers, that it judged. */
  readonly compared?: number
  /** For an invariant: causes of deviations that the judged answers show, such as requests of others. */
  readonly shows?: readonly Deviation['dependsOn'][] | undefined
  /** Steps whose deviations would be tolerated for a cause that varies. */
  readonly deviations?: readonly Deviation[] | undefined
  /** Set for a generated case. */
  readonly generated?: GeneratedCase | undefined
}

/** The members of a result that is about the whole run and sent no requests of its own. */
export const withoutRequests = {
  reason: undefined,
  cause: undefined,
  findings: [],
  evidence: [],
  ids: [],
  head: undefined,
  billed: 0,
  milliseconds: 0,
} as const satisfies Partial<CaseResult>

/** What a tolerated deviation depends on. All but the first vary during a run. */
export type ToleranceCause = 'implementation' | 'traffic' | 'head' | 'replicas'

/** An answer that could deviate for a cause that varies during a run. */
export interface Deviation {
  /** Number of the step, from 1. */
  readonly step: number
  readonly dependsOn: Exclude<ToleranceCause, 'implementation'>
  /** Number of the repetition of the case, from 2; undefined for its first run. */
  readonly run?: number | undefined
  /** By how much the answer deviated, such as `header RateLimit -2`; undefined if it did not. */
  readonly by?: string | undefined
  /** True for the deviation that a mistake of the service would give. */
  readonly isSuspect?: boolean | undefined
}

/** A generated case in the form of a case file. */
export interface GeneratedCase {
  readonly case: JsonObject
  /** Members that send its last call in the form in which alone it fails: `path`, `key` and `headers`. */
  readonly form?: JsonObject
  /** Set if this is the smallest case found that fails as the original did: the requests that the search took. */
  readonly shrunkIn?: number
}

/** A rule of the contract with its cases. */
export interface RuleCoverage {
  readonly id: string
  readonly text: string
  readonly section: string
  readonly level: string
  /** JSON pointer of the rule in the contract. */
  readonly pointer: string
  readonly cases: readonly { readonly id: string; readonly verdict: Verdict }[]
}

/** A method, parameter or error of the contract with the cases that exercised it. */
export interface ElementCoverage {
  readonly kind: 'method' | 'parameter' | 'error'
  /** `book`, `book number`, `-32602 Invalid params`. */
  readonly id: string
  /** JSON pointer of the element in the contract. */
  readonly pointer: string
  readonly cases: RuleCoverage['cases']
}

/** Parts of the contract that answers had. */
export interface CoveredParts {
  readonly total: number
  readonly seen: number
  /** Names, codes or JSON pointers of the parts that answers had. Older reports have only their number. */
  readonly reached?: readonly string[]
  /** Names, codes or JSON pointers of the parts that no answer had. */
  readonly never: readonly string[]
}

/** What the answers of a run covered. */
export interface AnswerCoverage {
  /** Methods that gave a result to a call with valid parameters. */
  readonly methods: CoveredParts
  /** Members of results. */
  readonly members: CoveredParts
  /** Branches of unions in results. */
  readonly branches: CoveredParts
  /** Codes of declared errors. */
  readonly errors: CoveredParts
  /** Forms in which calls were sent. Reports of earlier versions lack them. */
  readonly forms?: CoveredParts
}

/** Measures of latency: percentiles by the nearest rank, and the maximum. */
export const latencyMeasures = ['p50', 'p90', 'p99', 'max'] as const
export type LatencyMeasure = (typeof latencyMeasures)[number]

/** Percentiles of latencies by the nearest rank, in milliseconds. All are 0 without requests. */
export interface LatencyNumbers extends Readonly<Record<LatencyMeasure, number>> {
  readonly requests: number
}

/** The answers within a slice of the run. */
export interface LatencySlice extends Pick<LatencyNumbers, 'requests' | 'p50' | 'max'> {
  /** Beginning, in milliseconds since the start of the run. */
  readonly at: number
  /** Length of the slice. */
  readonly milliseconds: number
}

/** A period in which requests waited and no answer was completed. */
export interface LatencyPause {
  /** Beginning, in milliseconds since the start of the run. */
  readonly at: number
  readonly milliseconds: number
  /** Requests that waited at its end. */
  readonly waiting: number
}

/** A limit of latency with the measured value. */
export interface CheckedLimit {
  /** Absent for the requests of all methods together. */
  readonly method?: string
  readonly measure: LatencyMeasure
  /** The limit. */
  readonly milliseconds: number
  /** Undefined if the method was not called. */
  readonly actual: number | undefined
  readonly isExceeded: boolean
}

/** Time until answers were complete. */
export interface Latency {
  /** All calls and batches. */
  readonly all: LatencyNumbers
  /** Single calls by method, in alphabetical order. */
  readonly methods: readonly (LatencyNumbers & { readonly method: string })[]
  /** The run in equal slices, without those that have no answer. */
  readonly timeline: readonly LatencySlice[]
  /** The longest pauses, the longest first. */
  readonly pauses: readonly LatencyPause[]
  readonly limits: readonly CheckedLimit[]
}

/** What invariants about headers need of an answer, or of a request without one. */
export interface StatedAnswer {
  /** Times at which the request was sent and its answer was complete, in milliseconds since the start of the run. */
  readonly sent: number
  readonly received: number
  /** Number of the key, from 1 in order of use. */
  readonly key: number
  /** The request and its status in words. */
  readonly kind: string
  /** What the request may have been charged, without upper bounds if they are unknown. `worst` includes mistakes. */
  readonly charge: { readonly least: number; readonly most?: number; readonly worst?: number }
  /** The headers that invariants are about, and `date`. */
  readonly headers: Readonly<Record<string, string>>
}

/** Number of cases by outcome. */
export interface CompletenessCounts {
  readonly judged: number
  /** Not sent because the service stopped answering. */
  readonly gaveUp: number
  readonly inconclusive: number
  /** Refused by a limit of the service. */
  readonly limited: number
  /** Not judged because of a defect of the runner. */
  readonly notJudged: number
  /** Not run because a required case did not pass. */
  readonly waiting: number
  /** Excluded by options of the run, such as allowed effects and budget. */
  readonly leftOut: number
  readonly notApplicable: number
}

/** How much of a run was judged. */
export interface Completeness extends CompletenessCounts {
  /** `complete` if every case was judged or is not applicable. */
  readonly verdict: 'complete' | 'incomplete' | 'gave-up'
}

/** Report of a run. */
export interface Report {
  /** Version of the report format. */
  readonly schema: 'concordat-conformance-report/2'
  /** What no answer showed, in one line, the most important first. Reports of earlier versions lack it. */
  readonly notTested?: string
  /** How much of the run was judged. Reports of earlier versions lack it. */
  readonly completeness?: Completeness
  readonly tool: { readonly name: string; readonly version: string }
  readonly contract: { readonly title: string; readonly version: string; readonly sha256: string }
  readonly target: {
    readonly url: string
    readonly network: string | undefined
    /** Network numbers that differ from the contract, by member of `x-networks`. */
    readonly answers?: Readonly<Record<string, JsonValue>>
    readonly head: Head | undefined
  }
  readonly mode: {
    readonly allowed: readonly Effect[]
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
    /** Sent requests of methods whose effect is not `read`. */
    readonly writes: number
    /** Requests that safe mode refused. */
    readonly heldBack: number
    /** Answers 429 and 503 after which the sender waited and retried. */
    readonly limited: number
    /** Requests without a complete response. */
    readonly unanswered: number
  }
  readonly counts: Readonly<Record<Verdict, number>>
  readonly cases: readonly CaseResult[]
  readonly rules: readonly RuleCoverage[]
  readonly elements: readonly ElementCoverage[]
  readonly coverage?: AnswerCoverage
  readonly latency?: Latency
  /** What all answers stated in headers that invariants are about. Reports of earlier versions lack it. */
  readonly stated?: readonly StatedAnswer[]
  /** Captures of fixtures, by fixture name. Cases used them as variables. */
  readonly fixtures: Readonly<Record<string, Readonly<Record<string, JsonValue>>>>
}
