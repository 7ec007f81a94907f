import { arrayMember, isObject, type JsonObject, type JsonValue, member, stringMember } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { createDocumentReader, type Documents } from '../load/documents.js'
import type { Contract } from './contract.js'
import { reachableSchemas } from './reachable-schemas.js'
import { errorPlaces } from './read-methods.js'

/** An object of a contract that may carry extensions. */
export interface ExtendedObject {
  /**
   * The name of its type in OpenRPC's meta-schema, such as `methodObject`. Extension declarations use these
   * names.
   */
  readonly kind: string
  readonly pointer: string
  readonly value: JsonObject
}

/** The kind of schema objects. OpenRPC's `restricted` does not allow it, so `x-restricted` does. */
export const schemaKind = 'schemaObject'

/**
 * Lists the objects for which extensions can be declared, each once. Includes schemas only if the contract
 * declares an extension for schemas: otherwise schemas may carry any `x-` member.
 */
export function extendedObjects(contract: Contract, documents: Documents): readonly ExtendedObject[] {
  const reader = createDocumentReader(documents)
  const { methods, servers } = contract
  const descriptors = methods.flatMap(({ params, result }) => [...params, ...(result ? [result] : [])])
  const places: readonly (readonly [kind: string, pointer: string])[] = [
    ['infoObject', '#/info'],
    ...servers.map(({ pointer }) => ['serverObject', pointer] as const),
    ...methods.map(({ pointer }) => ['methodObject', pointer] as const),
    ...descriptors.map(({ pointer }) => ['contentDescriptorObject', pointer] as const),
    ...errorPlaces(contract).map(({ pointer }) => ['errorObject', pointer] as const),
    ...methods.flatMap(({ examples }) =>
      examples.map(({ pointer }) => ['examplePairingObject', pointer] as const),
    ),
    ...methods.flatMap(({ links }) => links.map(({ pointer }) => ['linkObject', pointer] as const)),
  ]
  const objects = [...new Map(places.map((place) => [place[1], place])).values()].flatMap(
    ([kind, pointer]) => {
      const value = reader.object({ $ref: pointer }, '#')?.value
      return value ? [{ kind, pointer, value }] : []
    },
  )
  return [...objects, ...extendedSchemas(contract)]
}

function extendedSchemas(contract: Contract): readonly ExtendedObject[] {
  if (!extensionDeclarations(contract.document).some(({ kinds }) => kinds.includes(schemaKind))) return []
  return reachableSchemas(contract, () => undefined).flatMap(({ pointer, schema }) =>
    isObject(schema) ? [{ kind: schemaKind, pointer, value: schema }] : [],
  )
}

/** A declared extension (OpenRPC, specification extension object). */
export interface ExtensionDeclaration {
  readonly name: string
  readonly pointer: string
  /**
   * The kinds of object that carry it, such as `methodObject`. `x-restricted` adds kinds unknown to OpenRPC.
   */
  readonly kinds: readonly string[]
  /** True if every object of these kinds must carry it. */
  readonly isRequired: boolean
  readonly summary: string
  readonly schema: JsonValue
}

/** Reads the extensions that `x-extensions` declares, in the document's order. */
export function extensionDeclarations(document: JsonObject): readonly ExtensionDeclaration[] {
  return arrayMember(document, 'x-extensions').flatMap((value, at) =>
    isObject(value)
      ? [
          {
            name: stringMember(value, 'name') ?? '',
            pointer: joinPointer('#/x-extensions', at),
            kinds: [...arrayMember(value, 'restricted'), ...arrayMember(value, 'x-restricted')].map(String),
            isRequired: member(value, 'required') === true,
            summary: stringMember(value, 'summary') ?? '',
            schema: member(value, 'schema') ?? true,
          },
        ]
      : [],
  )
}

/** Values of `x-refers-to`: first pointers and names within the method, then names within the contract. */
const ofMethod = ['parameter', 'parameter-pointer', 'result-pointer', 'result-member'] as const
const ofContract = [
  'method',
  'error',
  'schema',
  'rule',
  'failure',
  'limit',
  'scope',
  'network',
  'network-member',
] as const
/** All values of `x-refers-to`. */
export const referenceKinds: readonly string[] = [...ofMethod, ...ofContract, 'json-schema']

/** The kind of a reference to a name within the contract. */
export type ContractReference = (typeof ofContract)[number]

/** Returns true for a kind of reference within a method. */
export function isOfMethod(kind: string): boolean {
  return ofMethod.some((known) => known === kind)
}
