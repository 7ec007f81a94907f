import type { JsonValue } from '../../rpc/index.js'

/** What a case does to the service that it tries; safe mode sends `read` only. */
export type Effect = 'read' | 'write' | 'spends-quota'

/** A case: what its YAML file states, or what was derived from the contract. */
export interface Scenario {
  /** `<group>/<case>`, after its file; `derived/<method>/<case>` for a derived one. */
  readonly id: string
  readonly group: string
  /** One sentence: what must hold. */
  readonly scenario: string
  /** Ids of the contract's rules that the case tries, the main one first. */
  readonly rules: readonly string[]
  readonly effect: Effect
  /** Names of `x-networks` that the case is for; empty for all. */
  readonly networks: readonly string[]
  /** Facts without which it is not applicable: `key`, `second-key`, `revoked-key`, `contracts-key`, `funded-key`, or a fixture's name. */
  readonly needs: readonly string[]
  /** Ids of cases that run before it; when one of them did not pass, this one does not run. */
  readonly after: readonly string[]
  /** It compares what changes when the head moves: tried again, then inconclusive, when the head moved under it. */
  readonly followsHead: boolean
  /** Nothing else is sent while it runs: it counts what its own requests change. */
  readonly alone?: boolean
  /** It belongs to this package, so it may send method names that the contract does not have. */
  readonly builtIn: boolean
  readonly origin: 'file' | 'derived'
  readonly steps: readonly Step[]
  /** Where it stands, for messages. */
  readonly source: { readonly file: string; readonly line: number }
}

/** A fact that is looked for on the target: its steps ran, and their captures are what it provides. */
export interface Fixture {
  /** The file's name, as `needs` spells it. */
  readonly name: string
  /** One sentence: what it finds. */
  readonly fixture: string
  /** Fixtures that it needs itself. */
  readonly needs: readonly string[]
  readonly steps: readonly Step[]
  /** What must hold where its captures come from a profile; they are variables here. */
  readonly still: readonly Step[]
  /** Its `still` tells whether a profile belongs to what the target serves now. */
  readonly anchor: boolean
  readonly source: { readonly file: string; readonly line: number }
}

/** One step: exactly one of call, batch, raw, compute, parallel and skip-unless. */
export type Step = SentStep | ComputeStep | ParallelStep | SkipStep

/** A step that sends one request, or one after the other until something holds. */
export type SentStep = CallStep | BatchStep | RawStep

/** What every step that sends may say. */
export interface SendingStep {
  /** Request headers by name; null leaves one out that is sent otherwise. */
  readonly headers: Readonly<Record<string, string | null>>
  /** The HTTP verb, POST by default. */
  readonly verb: string | undefined
  /** A path below the target's base, with `{key}` for the key in use: `/v2/{key}`. The target's own form by default. */
  readonly path: string | undefined
  /**
   * Which key: the target's own (default), by its name that of `--second-key`, `--revoked-key` or `--key NAME=URL`, by
   * `other-case` the target's own with its letters in the other case, or none or another one, literally.
   */
  readonly key: string | { readonly literal: string } | undefined
  readonly expect: Expectation | undefined
  /** Answers that are not what the contract states first, and that it tolerates. */
  readonly tolerate: readonly Tolerance[]
  /** Answers that something else than the service may cause: the case is inconclusive then. */
  readonly inconclusive: readonly Tolerance[]
  /** Variable name to JSONPath (RFC 9535) into the answer's body; the first match is taken. */
  readonly capture: Readonly<Record<string, string>>
  /** Variable name to a response header and a pattern whose first group is taken; all digits become a number. */
  readonly captureHeader: Readonly<Record<string, { readonly name: string; readonly pattern: string }>>
  /** Sends the step again, with a new id, until the expectation holds of an answer, at most so many times. */
  readonly repeatUntil:
    | {
        readonly expect: Expectation
        readonly atMost: Template
        /** Seconds between an answer and the next request. */
        readonly every: number
      }
    | undefined
}

export interface CallStep extends SendingStep {
  readonly kind: 'call'
  readonly call: CallTemplate
  /** An answer that the same call got before in the run will do. */
  readonly share: boolean
}

export interface BatchStep extends SendingStep {
  readonly kind: 'batch'
  /** Items in order; an item with `times` stands for so many alike. */
  readonly items: readonly (CallTemplate & { readonly times: Template | undefined })[]
  /** The answers that the same batch got before in the run will do. */
  readonly share: boolean
}

export interface RawStep extends SendingStep {
  readonly kind: 'raw'
  /** The body, part after part; an empty list sends none. */
  readonly body: readonly RawPart[]
}

/** Calls a function that the embedding program offers, such as `keccak256`, and captures from what it gives. */
export interface ComputeStep {
  readonly kind: 'compute'
  readonly function: string
  readonly params: readonly Template[]
  /** Variable name to JSONPath into the function's value. */
  readonly capture: Readonly<Record<string, string>>
}

/** Steps that are sent at the same time; none of them knows what another one captures. */
export interface ParallelStep {
  readonly kind: 'parallel'
  readonly steps: readonly SentStep[]
}

/** Ends a case as not applicable where a value that was found out is not as it must be for it. */
export interface SkipStep extends Condition {
  readonly kind: 'skip'
  readonly reason: string
}

/** A request to be: `method` and `params` with `${variables}`. */
export interface CallTemplate {
  readonly method: string
  /** By position or by name; undefined leaves `params` out. */
  readonly params: Template | undefined
  /** The id as JSON text; a number that counts up by default. */
  readonly id: string | undefined
}

/** A part of a raw body: text with `${variables}`, a text repeated, bytes in hexadecimal, or seconds of silence. */
export type RawPart =
  | { readonly text: string }
  | { readonly repeat: string; readonly times: Template }
  | { readonly hex: string }
  | { readonly pause: Template }

/**
 * JSON in which `${name}` stands for a captured value, `${name + 1}` and `${name - 1}` for a number or hexadecimal
 * quantity moved by that much. A string that is one `${…}` alone takes the value with its type.
 */
export type Template = JsonValue

/** What must hold of an answer; a member that is absent is not looked at. */
export interface Expectation {
  /** Of a call's `result`; null is null itself. */
  readonly result?: Matcher
  readonly error?: { readonly code?: Matcher; readonly message?: Matcher; readonly data?: Matcher }
  /** HTTP status. */
  readonly status?: Matcher
  /** Response headers by name, in any case; `{ $absent: true }` for one that must not be there. */
  readonly headers?: Readonly<Record<string, Matcher>>
  /** The answer's id as JSON text, byte for byte; for call and batch it is checked without being stated. */
  readonly id?: string
  /** The answers of a batch, in order; `{ $each: … }` and `$length` are matchers of the whole list in `body`. */
  readonly items?: readonly Expectation[]
  /** The whole body as JSON; `{ $empty: true }` for no body at all. */
  readonly body?: Matcher
  /** Seconds within which the whole answer came. */
  readonly within?: number
}

/** A captured value, and the expected value. */
export interface Condition {
  readonly value: Template
  readonly is: Matcher
}

/** An answer that is not expected and yet no failure: `tolerated` or `inconclusive`, with the reason. */
export interface Tolerance {
  /** The exception applies only when this condition holds. */
  readonly onlyIf?: Condition
  readonly expect: Expectation
  readonly reason: string
}

/**
 * JSON stands for itself (equal, members in any order), and `${…}` for its variable; an object whose only members
 * begin with `$` is a test, and all its tests must hold:
 * `$schema` (JSON pointer into the contract), `$pattern`, `$type` (null boolean number integer string array object),
 * `$min` and `$max` (numbers and hexadecimal quantities, inclusive), `$one-of` [values or matchers], `$not` matcher,
 * `$each` matcher, `$contains` matcher, `$length` number or matcher, `$unordered` [values or matchers],
 * `$has` {member: matcher} (others are free), `$empty` true ([], {}, '' or no body), `$absent` true, `$is` a value as
 * it is, in which nothing is a test. Nothing but `$absent` holds of a member that is not there.
 */
export type Matcher = JsonValue
