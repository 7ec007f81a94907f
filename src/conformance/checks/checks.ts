import type { JsonObject, JsonValue } from '../../contract/index.js'
import type { ErrorCheck } from './error-check.js'
import type { Problem } from './problem.js'

/** What a contract says of every answer, as checks; an empty list of problems is a good answer. */
export interface Checks {
  /**
   * Against the schema at a JSON pointer into the contract, `#/components/schemas/Block`.
   * @throws CheckError where no schema stands there, or it cannot be used
   */
  readonly schema: (pointer: string, value: JsonValue) => readonly Problem[]
  /** Of the result of a call with these parameters; nothing is known of methods that the contract does not have. */
  readonly result: (
    method: string,
    params: readonly JsonValue[] | JsonObject,
    value: JsonValue,
  ) => readonly Problem[]
  /** Of one answer's envelope: `x-envelope.response`, or what JSON-RPC 2.0 asks for itself. */
  readonly envelope: (answer: JsonValue) => readonly Problem[]
  /** Of an answer's error object. */
  readonly error: ErrorCheck
  /** The HTTP statuses of an answer that is one error with a code; undefined where the contract does not state any. */
  readonly errorStatuses: (code: number) => ReadonlySet<number> | undefined
  /** What methods change (`x-effect`), where the contract says so. */
  readonly effects: ReadonlyMap<string, 'read' | 'write'>
  /** The names of the contract's methods. */
  readonly methods: ReadonlySet<string>
}
