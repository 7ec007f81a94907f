import type { JsonObject, JsonValue } from '../../toolkit/contract/index.js'
import type { Problem } from '../expect/schema-check.js'
import type { ErrorCheck } from './error-check.js'
import type { ListedMembers } from './listed-members.js'

/** The checks that a contract implies for every response. An empty list of problems means success. */
export interface Checks {
  /**
   * Validates a value against the schema at a JSON pointer into the contract, such as
   * `#/components/schemas/Block`.
   * @throws CheckError if there is no schema, or it cannot be compiled
   */
  readonly schema: (pointer: string, value: JsonValue) => readonly Problem[]
  /** Validates the result of a call with these parameters. Unknown methods have no problems. */
  readonly result: (
    method: string,
    params: readonly JsonValue[] | JsonObject,
    value: JsonValue,
  ) => readonly Problem[]
  /** Validates the parameters of a notification of the server. Unknown methods have no problems. */
  readonly params: (method: string, params: JsonValue | undefined) => readonly Problem[]
  /** True if the parameters of a call fit the schemas of a known method, with none too many. */
  readonly takes: (method: string, params: JsonValue | undefined) => boolean
  /** Validates the envelope of a response: `x-envelope.response`, or the response object of JSON-RPC 2.0. */
  readonly envelope: (answer: JsonValue) => readonly Problem[]
  /** Validates the error object of a response. */
  readonly error: ErrorCheck
  /** Returns the HTTP statuses allowed for an error code, or undefined if the contract states none. */
  readonly errorStatuses: (code: number) => ReadonlySet<number> | undefined
  /**
   * Returns the scopes that a method needs (`x-scopes`) if the code is that of a refusal for a missing one
   * (`x-failures.forbidden`), and no scopes otherwise.
   */
  readonly refusedScopes: (method: string, code: number | undefined) => readonly JsonValue[]
  /** The effects of methods (`x-effect`), where the contract declares them. */
  readonly effects: ReadonlyMap<string, 'read' | 'write'>
  readonly methods: ReadonlySet<string>
  /** Error code of invalid parameters (`x-failures`). */
  readonly invalidParamsCode: number
  /** True if batches are answered in the order of their calls (`x-http.rules.batchOrder`). */
  readonly areBatchesOrdered: boolean
  /** Reduces what is compared to listed members; undefined to compare all. */
  readonly listed?: ListedMembers | undefined
}
