import { isObject, type JsonObject } from '../json.js'
import { createDocumentReader } from '../load/document-reader.js'
import type { Documents } from '../load/documents.js'
import type { Contract } from './contract.js'
import { extensionDeclarations } from './extension-declarations.js'
import { reachableSchemas } from './reachable-schemas.js'

/** An object of a contract that may carry extensions. */
export interface ExtendedObject {
  /** Its name in OpenRPC's meta-schema, which declarations of extensions use, such as `methodObject`. */
  readonly kind: string
  readonly pointer: string
  readonly value: JsonObject
}

/** The kind of schema objects. OpenRPC's `restricted` cannot name it, so `x-restricted` does. */
export const schemaKind = 'schemaObject'

/**
 * The objects of a contract that extensions may be declared for, each once. Schemas are among them where the contract
 * declares an extension for schemas; any other schema carries any `x-` member.
 */
export function extendedObjects(contract: Contract, documents: Documents): readonly ExtendedObject[] {
  const reader = createDocumentReader(documents)
  const { methods, errors, servers } = contract
  const descriptors = methods.flatMap(({ params, result }) => [...params, ...(result ? [result] : [])])
  const places: readonly (readonly [kind: string, pointer: string])[] = [
    ['infoObject', '#/info'],
    ...servers.map(({ pointer }) => ['serverObject', pointer] as const),
    ...methods.map(({ pointer }) => ['methodObject', pointer] as const),
    ...descriptors.map(({ pointer }) => ['contentDescriptorObject', pointer] as const),
    ...errors.map(({ pointer }) => ['errorObject', pointer] as const),
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
