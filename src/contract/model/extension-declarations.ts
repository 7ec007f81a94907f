import { arrayMember, isObject, type JsonObject, type JsonValue, member, stringMember } from '../json.js'
import { joinPointer } from '../json-pointer.js'

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
