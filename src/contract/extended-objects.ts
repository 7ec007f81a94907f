import type { Contract } from './contract.js'
import { createDocumentReader } from './document-reader.js'
import type { Documents } from './documents.js'
import type { JsonObject } from './json.js'

/** An object of a contract that may carry extensions. */
export interface ExtendedObject {
  /** Its name in OpenRPC's meta-schema, which declarations of extensions use, such as `methodObject`. */
  readonly kind: string
  readonly pointer: string
  readonly value: JsonObject
}

/** The objects of a contract that extensions may be declared for, each once. Schemas carry any `x-` member. */
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
  return [...new Map(places.map((place) => [place[1], place])).values()].flatMap(([kind, pointer]) => {
    const value = reader.object({ $ref: pointer }, '#')?.value
    return value ? [{ kind, pointer, value }] : []
  })
}
