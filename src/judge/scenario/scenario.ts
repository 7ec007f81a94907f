import type { JsonValue } from '@concordat/rpc'
import type { StatedLaw } from '../../toolkit/contract/index.js'
import type { Effect, ToleranceCause } from '../report/index.js'

/** A case, from a YAML file or derived from the contract. */
export interface Scenario {
  /** `<group>/<case>`, from the file path; `derived/<method>/<case>` for a derived case. */
  readonly id: string
  readonly group: string
  /** One sentence that states the required behaviour. */
  readonly scenario: string
  /** Ids of the tested rules of the contract, the main one first. */
  readonly rules: readonly string[]
  readonly effect: Effect
  /** Names of `x-networks` to which the case applies; empty for all. */
  readonly networks: readonly string[]
  /**
   * Facts that the case requires: `key`, `second-key`, `revoked-key`, `contracts-key`, `funded-key`, or the
   * name of a fixture. Without them it is not applicable.
   */
  readonly needs: readonly string[]
  /** Ids of cases that must run and pass before this one. */
  readonly after: readonly string[]
  /**
   * True if the case depends on the head of the chain. If the head moves during the case, it is repeated,
   * then inconclusive.
   */
  readonly followsHead: boolean
  /** True if the case must run alone, because it counts the effects of its own requests. */
  readonly alone?: boolean
  /** True for a case of this package. Only these can send method names that the contract does not have. */
  readonly builtIn: boolean
  readonly origin: 'file' | 'derived'
  /** True for a case that was generated for one run. A failing one is shrunk. */
  readonly explored?: boolean
  /** Why a generated case cannot run: nothing could be generated. */
  readonly notRun?: string
  readonly steps: readonly Step[]
  /** Location, for messages. */
  readonly source: { readonly file: string; readonly line: number }
}

/** A fact that is looked up on the target: its steps run, and their captures become variables. */
export interface Fixture {
  /** The file name, as used in `needs`. */
  readonly name: string
  /** One sentence that states what the fixture finds. */
  readonly fixture: string
  /** Fixtures that this fixture needs. */
  readonly needs: readonly string[]
  readonly steps: readonly Step[]
  /** Steps that verify captures that come from a profile. The captures are variables in them. */
  readonly still: readonly Step[]
  /** True if `still` decides whether a profile matches the current state of the target. */
  readonly anchor: boolean
  /** True if a complete service may lack it, such as blocks with uncles. */
  readonly optional: boolean
  readonly source: { readonly file: string; readonly line: number }
}

/** One step: exactly one of call, batch, raw, compute, parallel and skip-unless, or a law of the contract. */
export type Step = SentStep | ComputeStep | ParallelStep | SkipStep | LawStep

/** A step that sends a request once, or repeatedly until a condition holds. */
export type SentStep = CallStep | BatchStep | RawStep

/** Members common to all sending steps. */
export interface SendingStep {
  /** Request headers by name. Null removes a default header. */
  readonly headers: Readonly<Record<string, string | null>>
  /** The HTTP verb, POST by default. */
  readonly verb: string | undefined
  /**
   * Path below the target's base, with `{key}` for the current key, such as `/v2/{key}`. By default that of
   * the target.
   */
  readonly path: string | undefined
  /**
   * The key to use. By default the target's own; a name refers to `--second-key`, `--revoked-key` or `--key
   * NAME=URL`. `other-case` is the target's own key with swapped letter case. A literal can be any key or
   * none.
   */
  readonly key: string | { readonly literal: string } | undefined
  readonly expect: Expectation | undefined
  /** Responses that differ from the contract's first choice but are tolerated. */
  readonly tolerate: readonly Tolerance[]
  /** Responses with causes outside of the service. They make the case inconclusive. */
  readonly inconclusive: readonly Tolerance[]
  /** Maps variable names to JSONPaths (RFC 9535) into the response body. The first match is captured. */
  readonly capture: Readonly<Record<string, string>>
  /**
   * Maps variable names to a response header and a pattern. The first group is captured; digits become a
   * number.
   */
  readonly captureHeader: Readonly<Record<string, { readonly name: string; readonly pattern: string }>>
  /** The form in which the request is sent first. */
  readonly form?: CallForm | undefined
  /** Repeats the step with a new id until the expectation holds, up to the given number of times. */
  readonly repeatUntil:
    | {
        readonly expect: Expectation
        readonly atMost: Template
        /** Seconds between a response and the next request. */
        readonly every: number
      }
    | undefined
}

export interface CallStep extends SendingStep {
  readonly kind: 'call'
  readonly call: CallTemplate
  /** True if the response of an identical call in this run can be reused. */
  readonly share: boolean
  /** A capture that ends the case here, so that the case passes: a missing one, or also a null. */
  readonly mayEnd?: 'missing' | 'null'
}

export interface BatchStep extends SendingStep {
  readonly kind: 'batch'
  /** Items in order. An item with `times` stands for that many copies. */
  readonly items: readonly (CallTemplate & { readonly times: Template | undefined })[]
  /** True if the responses of an identical batch in this run can be reused. */
  readonly share: boolean
  /** True if calls of derived cases replace the items, where the suite has enough of them. */
  readonly isFilled?: boolean
}

export interface RawStep extends SendingStep {
  readonly kind: 'raw'
  /** The parts of the body; an empty list sends no body. */
  readonly body: readonly RawPart[]
}

/** A form in which a call can travel. Its answer must be that of the call sent alone. */
export interface CallForm {
  /** Path below the base, such as `/v2/{key}`; undefined for the path of the target. */
  readonly path: string | undefined
  /** True if the request accepts an answer compressed with gzip. */
  readonly acceptsGzip: boolean
  /** The second key of the same user, where it is given; undefined for the own key. */
  readonly key: 'second' | undefined
  /** The batch that contains the call; undefined for a request of its own. */
  readonly batch: FormBatch | undefined
  /** True if spaces follow the JSON, which have no meaning (RFC 8259, section 2). */
  readonly isPadded?: boolean
  /** Chooses another spelling of a parameter (`x-spellings`); undefined keeps that of the call. */
  readonly spelling?: number | undefined
}

/** A batch of calls of several cases. It is sent once. */
export interface FormBatch {
  /** Shared by all cases of the batch. */
  readonly items: readonly CallTemplate[]
  /** Position of the call, from 0. */
  readonly position: number
  /** True if another case sends the batch. Without that case, the call is sent alone. */
  readonly isOfOtherCase: boolean
}

/** Calls a function of the embedding program, such as `keccak256`, and captures from its result. */
export interface ComputeStep {
  readonly kind: 'compute'
  readonly function: string
  readonly params: readonly Template[]
  /** Expected result of the function; undefined to expect nothing. */
  readonly expect: Pick<Expectation, 'result'> | undefined
  /** Maps variable names to JSONPaths into the function's result. */
  readonly capture: Readonly<Record<string, string>>
}

/** Steps that are sent concurrently. They cannot use each other's captures. */
export interface ParallelStep {
  readonly kind: 'parallel'
  readonly steps: readonly SentStep[]
}

/** Ends the case as not applicable if the condition does not hold. */
export interface SkipStep extends Condition {
  readonly kind: 'skip'
  readonly reason: string
}

/** Judges a law of the contract (`x-laws`). No file can state it. */
export interface LawStep {
  readonly kind: 'law'
  readonly stated: StatedLaw
  /** Methods that it calls. */
  readonly methods: readonly string[]
}

/** A request template: `method` and `params` with `${variables}`. */
export interface CallTemplate {
  readonly method: string
  /** By position or by name. Undefined omits `params`. */
  readonly params: Template | undefined
  /** The id as JSON text; by default a counter. */
  readonly id: string | undefined
}

/**
 * A part of a raw body: text with `${variables}`, repeated text, hexadecimal bytes, or a pause in seconds.
 */
export type RawPart =
  | { readonly text: string }
  | { readonly repeat: string; readonly times: Template }
  | { readonly hex: string }
  | { readonly pause: Template }

/**
 * JSON in which `${name}` is replaced by a captured value. `${name + 1}` and `${name - 1}` add to a number or
 * hexadecimal quantity. A string that consists of one `${…}` becomes the value with its type.
 */
export type Template = JsonValue

/** Expectations of a response. Members that are absent are not checked. */
export interface Expectation {
  /** Expected `result` of a call. Null means null. */
  readonly result?: Matcher
  readonly error?: { readonly code?: Matcher; readonly message?: Matcher; readonly data?: Matcher }
  /** HTTP status. */
  readonly status?: Matcher
  /** Response headers by case-insensitive name; `{ $absent: true }` for a header that must be missing. */
  readonly headers?: Readonly<Record<string, Matcher>>
  /** The id of the response as JSON text, byte for byte. For call and batch it is checked automatically. */
  readonly id?: string
  /**
   * The responses of a batch, in the order of its calls. To match the whole list, use matchers such as `{ $each: … }` in
   * `body`.
   */
  readonly items?: readonly Expectation[]
  /** The whole body as JSON; `{ $empty: true }` for an empty body. */
  readonly body?: Matcher
  /** Maximum seconds until the whole response has arrived. */
  readonly within?: number
  /** True if a call whose parameters fit their schemas must not be refused with -32602. */
  readonly accepted?: boolean
}

/** A captured value and its expected value. */
export interface Condition {
  readonly value: Template
  readonly is: Matcher
}

/** An unexpected response that is no failure: `tolerated` or `inconclusive`, with the reason. */
export interface Tolerance {
  /** Undefined for an answer that makes the case inconclusive. */
  readonly dependsOn?: ToleranceCause
  /** Tolerated answers that a mistake of the service would give. */
  readonly suspect?: Expectation
  /** The tolerance applies only if this condition holds. */
  readonly onlyIf?: Condition
  readonly expect: Expectation
  readonly reason: string
}

/**
 * JSON is compared literally (members in any order), and `${…}` is replaced by its variable. An object whose
 * member names all begin with `$` is a set of matchers, all of which must hold:
 * - `$schema`: JSON pointer into the contract
 * - `$pattern`: a regular expression
 * - `$type`: null, boolean, number, integer, string, array or object
 * - `$min`, `$max`: numbers and hexadecimal quantities, inclusive
 * - `$near`: {value, within}, a tolerance
 * - `$one-of`, `$unordered`: a list of values or matchers
 * - `$not`, `$each`, `$contains`: a matcher
 * - `$length`: a number or a matcher
 * - `$has`: {member: matcher}; other members are ignored
 * - `$empty`: true, for [], {}, '' or no body
 * - `$is`: a value that is compared literally
 * - `$absent`: true; only it accepts a missing member
 */
export type Matcher = JsonValue
