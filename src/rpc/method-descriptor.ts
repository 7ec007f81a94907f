import type { JsonValue } from './json.js'

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
}

/** What the runtime knows of a method of the contract (OpenRPC 1.3, method object). Generated, never written by hand. */
export interface MethodDescriptor {
  /** The name on the wire. */
  readonly name: string
  /** The members that lead to its function in handlers, the namespaces first; absent where that is its name. */
  readonly path?: readonly string[]
  readonly params: readonly ParamDescriptor[]
  readonly paramStructure: 'by-name' | 'by-position' | 'either'
  /** True for a method without a result: it can be notified, not called. */
  readonly notification: boolean
  /** Keys of `components.errors` that the method declares. */
  readonly errors: readonly string[]
  /** The method's `x-` members, as the contract states them. */
  readonly extensions: { readonly [name: `x-${string}`]: JsonValue }
  /** Checks the parameters as they were sent, a list or an object by name, before defaults are filled in. */
  readonly validateParams: Validator
  /** Checks a result. */
  readonly validateResult: Validator
}
