import { isObject, type JsonObject } from '../json.js'
import { createDocumentReader, type Documents } from '../load/documents.js'
import { extensionDeclarations, schemaKind } from '../load/extension-declarations.js'
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
