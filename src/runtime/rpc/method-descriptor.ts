import type { JsonObject, JsonValue } from './json.js'

/** A violation of a schema by a value. */
export interface ValidationProblem {
  /** JSON pointer into the validated value, `''` for the value itself. */
  readonly path: string
  /** The violated JSON Schema keyword, such as `pattern` or `required`. */
  readonly rule: string
  /** The violation in words. */
  readonly message: string
}

/** Validates a value. An empty list means that it is valid. */
export type Validator = (value: unknown) => readonly ValidationProblem[]

/** A parameter of a method, in the contract's order (OpenRPC 1.3, content descriptor). */
export interface ParamDescriptor {
  readonly name: string
  readonly required: boolean
  /** The schema's default, used if the caller omits the parameter. */
  readonly default?: JsonValue
  /** True if null is a value of the optional parameter. Otherwise null in a list counts as absent. */
  readonly nullable?: true
  /** Object members that callers may send but handlers do not receive (`x-ignored`). */
  readonly ignored?: readonly string[]
}

/** An error of a contract (OpenRPC 1.3, error object). */
export interface ErrorDescriptor {
  readonly code: number
  readonly message: string
  /** HTTP status of the response to a single call. Default: 200. */
  readonly httpStatus?: number
  /** `Retry-After` of the response to a single call, in seconds. */
  readonly retryAfterSeconds?: number
  /** Validates the error's `data`. Absent if the contract does not declare data. */
  readonly validateData?: Validator
}

/** The parts of a contract that concern every request. Generated, never written by hand. */
export interface ServiceDescriptor {
  /** `x-limits` by name. The server enforces the limits that it knows; handlers enforce the others. */
  readonly limits: Readonly<Record<string, JsonValue>>
  /** `x-envelope` as in the contract. */
  readonly envelope: JsonObject | undefined
  /** `x-failures`: the error for each failure. */
  readonly failures: Readonly<Record<string, FailureDescriptor>>
  /** The contract's errors by name. */
  readonly errors: Readonly<Record<string, ErrorDescriptor>>
  /** Codes of errors sent without the server's own data, because the contract does not declare it. */
  readonly withoutData: readonly number[]
  /** Loads the contract document as JSON text. Absent if the contract declares `rpc.discover` itself. */
  readonly document?: () => Promise<string>
}

/** A named failure and its error. */
export interface FailureDescriptor {
  /** The name of the error. */
  readonly error: string
  /** Overrides the error's message. */
  readonly message?: string
  readonly httpStatus?: number
  readonly retryAfterSeconds?: number
}

/** A method of the contract at run time (OpenRPC 1.3, method object). Generated, never written by hand. */
export interface MethodDescriptor {
  /** The name on the wire. */
  readonly name: string
  /** The path of its function in handlers, namespaces first. Absent if it is the method's name. */
  readonly path?: readonly string[]
  /** The service-wide parts of the contract, shared by all methods. */
  readonly service?: ServiceDescriptor
  readonly params: readonly ParamDescriptor[]
  readonly paramStructure: 'by-name' | 'by-position' | 'either'
  /** True for a method without a result: it can only be sent as a notification. */
  readonly notification: boolean
  /** Names of the declared errors. Absent if the method has no "errors". */
  readonly errors?: readonly string[]
  /** The method's `x-` members as in the contract. */
  readonly extensions: { readonly [name: `x-${string}`]: JsonValue }
  /** Validates parameters as sent, a list or an object by name, before defaults are added. */
  readonly validateParams: Validator
  /** Validates a result. */
  readonly validateResult: Validator
}
