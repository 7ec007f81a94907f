import type { JsonObject, JsonValue } from '../json.js'
import type { LocatedSchema } from './schema.js'

/** A contract as the generator sees it: lists in the document's order, and schemas with their references as authored. */
export interface Contract {
  /** The whole document, as authored. */
  readonly document: JsonObject
  readonly openrpc: string
  readonly title: string
  readonly version: string
  readonly description: string | undefined
  /** The info object, extensions included. */
  readonly info: JsonObject
  readonly servers: readonly Server[]
  readonly methods: readonly Method[]
  /** `components.schemas`. */
  readonly schemas: readonly NamedSchema[]
  /** `components.errors`, then the errors that methods declare in place. */
  readonly errors: readonly DeclaredError[]
  /**
   * One step along a schema's reference.
   * @param reference the text of the `$ref`
   * @param from the place of the schema that holds it
   * @throws ContractError where it leads nowhere, or to something that is no schema
   */
  readonly resolve: (reference: string, from: string) => LocatedSchema
}

/** A component schema and its key. */
export interface NamedSchema extends LocatedSchema {
  readonly key: string
}

/** What most objects of OpenRPC carry for people. */
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
  /** Undefined for a method that can be notified only. */
  readonly result: ContentDescriptor | undefined
  readonly errors: readonly DeclaredError[]
  /** False for a method without "errors": the contract does not say which ones it answers. */
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

/** A parameter: a content descriptor that may be left out. */
export interface Param extends ContentDescriptor {
  readonly required: boolean
  /** The schema's default, its own or the one of the schema that it refers to; undefined where there is none. */
  readonly default: JsonValue | undefined
}

/** An error object (OpenRPC 1.3, error object). */
export interface DeclaredError {
  readonly pointer: string
  /** The component's key; for an error declared in place, the method's name and the code. */
  readonly key: string
  readonly code: number
  readonly message: string
  readonly description: string | undefined
  /** `x-data-schema`: the schema of the error's data. */
  readonly data: LocatedSchema | undefined
  /** False where the data may be left out (`x-data-optional`), and where it has no schema. */
  readonly dataRequired: boolean
}

/** An example pairing (OpenRPC 1.3, example pairing object). */
export interface ExamplePairing extends Documented {
  readonly name: string
  readonly params: readonly ExampleValue[]
  readonly result: ExampleValue | undefined
  /** The error answered, where the example shows one. */
  readonly error: JsonValue | undefined
  readonly extensions: { readonly [name: `x-${string}`]: JsonValue }
}

/** A link object (OpenRPC 1.3, link object): how an answer of one method gives parameters of another. */
export interface Link extends Documented {
  /** Its own name, else the component's key, else the name of the method that it leads to. */
  readonly name: string
  /** The method that it leads to; its own where it names none. */
  readonly method: string
  /** Values by the parameters that they are for; the strings in them may hold runtime expressions. */
  readonly params: JsonObject
}

/** A value of an example, with the name of its parameter. */
interface ExampleValue {
  /** The place of the value itself. */
  readonly pointer: string
  readonly name: string
  readonly value: JsonValue
}
