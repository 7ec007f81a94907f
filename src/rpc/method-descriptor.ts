import type { JsonObject, JsonValue } from './json.js'

/** One way in which a value breaks its schema. */
export interface ValidationProblem {
  /** JSON pointer into the validated value, `''` for the value itself. */
  readonly path: string
  /** The JSON Schema keyword that was broken, such as `pattern` or `required`. */
  readonly rule: string
  /** What is wrong, in words. */
  readonly message: string
}

/** Checks a value against a schema; an empty list means that it is valid. */
export type Validator = (value: unknown) => readonly ValidationProblem[]

/** A parameter of a method, in the contract's order (OpenRPC 1.3, content descriptor). */
export interface ParamDescriptor {
  readonly name: string
  readonly required: boolean
  /** The schema's default, filled in where the caller leaves the parameter out. */
  readonly default?: JsonValue
  /** Members of an object that callers may send and handlers do not get (`x-ignored`); absent where there are none. */
  readonly ignored?: readonly string[]
}

/** An error of a contract (OpenRPC 1.3, error object). */
export interface ErrorDescriptor {
  readonly code: number
  readonly message: string
  /** Checks the error's `data`, which is undefined where it is left out; absent where the contract says nothing of data. */
  readonly validateData?: Validator
}

/** What a contract says of every request. Generated, never written by hand. */
export interface ServiceDescriptor {
  /** `x-limits`: name and value. A server keeps those that it knows by name; the others are for handlers to keep. */
  readonly limits: Readonly<Record<string, JsonValue>>
  /** `x-envelope`, as the contract states it. */
  readonly envelope: JsonObject | undefined
  /** `x-failures`: how what goes wrong is answered. */
  readonly failures: Readonly<Record<string, FailureDescriptor>>
  /** The contract's errors by name. */
  readonly errors: Readonly<Record<string, ErrorDescriptor>>
  /** The codes whose errors go out without the data that a server adds: the contract has no such form for it. */
  readonly withoutData: readonly number[]
}

/** A situation that a contract names, and what answers it. */
export interface FailureDescriptor {
  /** The name of the error. */
  readonly error: string
  /** In place of the error's own message. */
  readonly message?: string
  readonly httpStatus?: number
  readonly retryAfterSeconds?: number
}

/** What the runtime knows of a method of the contract (OpenRPC 1.3, method object). Generated, never written by hand. */
export interface MethodDescriptor {
  /** The name on the wire. */
  readonly name: string
  /** The members that lead to its function in handlers, the namespaces first; absent where that is its name. */
  readonly path?: readonly string[]
  /** What the contract says of every request, the same for all its methods; absent where it says nothing. */
  readonly service?: ServiceDescriptor
  readonly params: readonly ParamDescriptor[]
  readonly paramStructure: 'by-name' | 'by-position' | 'either'
  /** True for a method without a result: it can be notified, not called. */
  readonly notification: boolean
  /** Names of the errors that the method declares; absent where it does not say which ones it answers. */
  readonly errors?: readonly string[]
  /** The method's `x-` members, as the contract states them. */
  readonly extensions: { readonly [name: `x-${string}`]: JsonValue }
  /** Checks the parameters as they were sent, a list or an object by name, before defaults are filled in. */
  readonly validateParams: Validator
  /** Checks a result. */
  readonly validateResult: Validator
}
