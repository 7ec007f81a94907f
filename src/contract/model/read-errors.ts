import type { ContractProblem } from '../contract-error.js'
import { type JsonObject, member, objectMember, stringMember } from '../json.js'
import { joinPointer, pointerTokens } from '../json-pointer.js'
import type { DocumentReader, LocatedObject } from '../load/document-reader.js'
import { pointerOf } from '../load/documents.js'
import type { Contract, DeclaredError } from './contract.js'
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
  const code = member(value, 'code')
  const data = member(value, 'x-data-schema')
  return {
    pointer,
    key: componentKey(pointer) ?? otherKey,
    code: typeof code === 'number' ? code : 0,
    message: stringMember(value, 'message') ?? '',
    description: stringMember(value, 'x-description') ?? stringMember(value, 'description'),
    data: isSchema(data) ? { pointer: joinPointer(pointer, 'x-data-schema'), schema: data } : undefined,
    dataRequired: isSchema(data) && member(value, 'x-data-optional') !== true,
  }
}

/** Returns the key of an error under `components.errors`, of the main document or another file. */
function componentKey(pointer: string): string | undefined {
  const [components, errors, key] = pointerTokens(pointerOf(pointer)) ?? []
  return components === 'components' && errors === 'errors' ? key : undefined
}

/** Returns each error once. Equal errors that methods declare inline have one name and count as one. */
export function distinctErrors(errors: readonly DeclaredError[]): readonly DeclaredError[] {
  const seen = new Set<string>()
  return errors.filter(({ pointer, key }) => {
    const identity = componentKey(pointer) === undefined ? `inline ${key}` : pointer
    return !seen.has(identity) && seen.add(identity)
  })
}

/** Returns the errors of all components and methods. Unlike `contract.errors`, equal errors are not merged. */
export function errorPlaces({ errors, methods }: Contract): readonly DeclaredError[] {
  const all = [...errors, ...methods.flatMap((method) => method.errors)]
  return [...new Map(all.map((error) => [error.pointer, error])).values()]
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
