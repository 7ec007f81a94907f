import type { ContractProblem } from '../contract-error.js'
import { type JsonObject, member, objectMember, stringMember } from '../json.js'
import { joinPointer, pointerTokens } from '../json-pointer.js'
import type { DocumentReader, LocatedObject } from '../load/document-reader.js'
import { pointerOf } from '../load/documents.js'
import type { DeclaredError } from './contract.js'
import { isSchema } from './schema.js'

/** The errors of `components.errors`, in the document's order. */
export function readErrors(reader: DocumentReader, components: JsonObject): readonly DeclaredError[] {
  return Object.entries(objectMember(components, 'errors')).flatMap(([key, value]) => {
    const located = reader.object(value, joinPointer('#/components/errors', key))
    return located ? [readError(located, key)] : []
  })
}

/** An error object; one under `components.errors` is known by its key, wherever it was referred to. */
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

/** Two errors that one key would name: an error declared in place may clash with a component. */
export function duplicateErrorKeys(errors: readonly DeclaredError[]): readonly ContractProblem[] {
  const first = new Map<string, string>()
  return errors.flatMap(({ key, pointer }) => {
    const other = first.get(key)
    first.set(key, other ?? pointer)
    return other === undefined
      ? []
      : [{ pointer, message: `is called "${key}", as is ${other}`, rule: 'duplicate-error-name' }]
  })
}
