import type { ContractProblem } from '../contract-error.js'
import { type JsonObject, member, objectMember, stringMember } from '../json.js'
import { joinPointer, pointerTokens } from '../json-pointer.js'
import type { DocumentReader, LocatedObject } from '../load/document-reader.js'
import { pointerOf } from '../load/documents.js'
import type { DeclaredError } from './contract.js'
import { isSchema } from './schema.js'

/** Reads `components.errors` in the document's order. */
export function readErrors(reader: DocumentReader, components: JsonObject): readonly DeclaredError[] {
  return Object.entries(objectMember(components, 'errors')).flatMap(([key, value]) => {
    const located = reader.object(value, joinPointer('#/components/errors', key))
    return located ? [readError(located, key)] : []
  })
}

/**
 * Reads an error object. An error under `components.errors` is named by its key, regardless of where it is
 * used.
 */
export function readError({ pointer, value }: LocatedObject, otherKey: string): DeclaredError {
  const tokens = pointerTokens(pointerOf(pointer)) ?? []
  const ownKey = tokens[0] === 'components' && tokens[1] === 'errors' ? tokens[2] : undefined
  const code = member(value, 'code')
  const data = member(value, 'x-data-schema')
  return {
    pointer,
    key: ownKey ?? otherKey,
    code: typeof code === 'number' ? code : 0,
    message: stringMember(value, 'message') ?? '',
    description: stringMember(value, 'x-description') ?? stringMember(value, 'description'),
    data: isSchema(data) ? { pointer: joinPointer(pointer, 'x-data-schema'), schema: data } : undefined,
    dataRequired: isSchema(data) && member(value, 'x-data-optional') !== true,
  }
}

/** Finds errors with the same name. An inline error may have the same name as a component. */
export function duplicateErrorKeys(errors: readonly DeclaredError[]): readonly ContractProblem[] {
  const first = new Map<string, string>()
  return errors.flatMap(({ key, pointer }) => {
    const known = first.get(key)
    first.set(key, known ?? pointer)
    return known === undefined
      ? []
      : [{ pointer, message: `the name "${key}" is already used at ${known}`, rule: 'duplicate-error-name' }]
  })
}
