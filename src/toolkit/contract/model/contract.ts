import type { JsonObject, JsonValue } from '../json.js'
import type { LocatedSchema } from './schema.js'

/** The model of a contract. Lists keep the document's order, and schemas keep their references. */
export interface Contract {
  /** The whole document, with `x-method-defaults` written out. */
  readonly document: JsonObject
  /** Returns the document with the parts of its other files, so that all references begin with `#/`. */
  readonly bundled: () => JsonObject
  /** Returns the bundled document without the terms that concern the service alone. */
  readonly published: () => JsonObject
  /** Returns the names of the components that the bundled document has for schemas of other files, by their place. */
  readonly componentNames: () => ReadonlyMap<string, string>
  readonly openrpc: string
  readonly title: string
  readonly version: string
  readonly description: string | undefined
  /** The info object, including extensions. */
  readonly info: JsonObject
  readonly servers: readonly Server[]
  readonly methods: readonly Method[]
  /** `components.schemas`. */
  readonly schemas: readonly NamedSchema[]
  /** `components.errors`, then errors that methods declare inline, equal ones once. */
  readonly errors: readonly DeclaredError[]
  /**
   * Resolves one reference of a schema.
   * @param reference the text of the `$ref`
   * @param from the place of the schema that holds it
   * @throws ContractError when the target does not exist or is not a schema
   */
  readonly resolve: (reference: string, from: string) => LocatedSchema
}

/** A component schema and its key. */
export interface NamedSchema extends LocatedSchema {
  readonly key: string
}

/** Members that most OpenRPC objects share. */
interface Documented {
  readonly pointer: string
  readonly summary: string | undefined
  readonly description: string | undefined
}

/** A server object (OpenRPC 1.3, server object). */
export interface Server extends Documented {
  readonly name: string | undefined
  readonly url: string
  readonly variables: JsonObject
}

/** A method object (OpenRPC 1.3, method object). */
export interface Method extends Documented {
  readonly name: string
  readonly deprecated: boolean
  readonly tags: readonly string[]
  readonly params: readonly Param[]
  readonly paramStructure: 'by-name' | 'by-position' | 'either'
  /** Undefined for a method that can only be called as a notification. */
  readonly result: ContentDescriptor | undefined
  readonly errors: readonly DeclaredError[]
  /** False for a method without "errors": the contract does not list its errors. */
  readonly statesErrors: boolean
  readonly examples: readonly ExamplePairing[]
  readonly links: readonly Link[]
  readonly extensions: { readonly [name: `x-${string}`]: JsonValue }
}

/** A content descriptor (OpenRPC 1.3, content descriptor object). */
export interface ContentDescriptor extends Documented {
  readonly name: string
  readonly deprecated: boolean
  readonly schema: LocatedSchema
}

/** A parameter: a content descriptor that may be optional. */
export interface Param extends ContentDescriptor {
  readonly required: boolean
  /** The default of the schema or of the schema that it refers to, if any. */
  readonly default: JsonValue | undefined
}

/** An error object (OpenRPC 1.3, error object). */
export interface DeclaredError {
  readonly pointer: string
  /** The component's key. Inline errors are named after their message, or after their method and code. */
  readonly key: string
  readonly code: number
  readonly message: string
  readonly description: string | undefined
  /** `x-data-schema`: the schema of the error's data. */
  readonly data: LocatedSchema | undefined
  /** False when the data is optional (`x-data-optional`) or has no schema. */
  readonly dataRequired: boolean
  /** `x-http-status`: the status of the response to a single call; undefined for 200. */
  readonly httpStatus: number | undefined
  /** `x-retry-after-seconds`: `Retry-After` of the response to a single call, in seconds. */
  readonly retryAfterSeconds: number | undefined
}

/** An example pairing (OpenRPC 1.3, example pairing object). */
export interface ExamplePairing extends Documented {
  readonly name: string
  readonly params: readonly ExampleValue[]
  readonly result: ExampleValue | undefined
  /** The error of the example, if it shows one. */
  readonly error: JsonValue | undefined
  readonly extensions: { readonly [name: `x-${string}`]: JsonValue }
}

/** A link object (OpenRPC 1.3, link object): maps the result of one method to parameters of another. */
export interface Link extends Documented {
  /** The link's name, or the component's key, or the name of the target method. */
  readonly name: string
  /** The target method. Defaults to the method that has the link. */
  readonly method: string
  /** Values by parameter name. Strings may contain runtime expressions. */
  readonly params: JsonObject
}

/** A value of an example and the name of its parameter. */
interface ExampleValue {
  /** The place of the value. */
  readonly pointer: string
  readonly name: string
  readonly value: JsonValue
}
