import { arrayMember, objectMember, stringMember } from '../json.js'
import { joinPointer, pointerTokens } from '../json-pointer.js'
import type { DocumentReader, LocatedObject } from '../load/document-reader.js'
import { pointerOf } from '../load/documents.js'
import type { Link } from './contract.js'

/** Reads the links of a method object, in the document's order. */
export function readLinks(
  reader: DocumentReader,
  { pointer, value }: LocatedObject,
  methodName: string,
): readonly Link[] {
  const located = reader.objects(arrayMember(value, 'links'), joinPointer(pointer, 'links'))
  return located.map((link) => {
    const method = stringMember(link.value, 'method') ?? methodName
    return {
      pointer: link.pointer,
      name: stringMember(link.value, 'name') ?? componentKey(link.pointer) ?? method,
      summary: stringMember(link.value, 'summary'),
      description: stringMember(link.value, 'description'),
      method,
      params: objectMember(link.value, 'params'),
    }
  })
}

/** Returns the key of a place under `#/components/links`. */
function componentKey(pointer: string): string | undefined {
  const [components, kind, key] = pointerTokens(pointerOf(pointer)) ?? []
  return components === 'components' && kind === 'links' ? key : undefined
}
