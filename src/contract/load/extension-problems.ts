import type { ContractProblem } from '../contract-error.js'
import { isArray, isObject, type JsonObject, type JsonValue, member, stringMember } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { schemaKind } from '../model/extended-objects.js'
import { referenceKinds } from '../model/extension-references.js'

/** Objects that an extension may be declared for, by their names in the meta-schema. Schemas are not among them. */
const extensibleObjects = [
  ...[
    'infoObject',
    'contactObject',
    'licenseObject',
    'serverObject',
    'methodObject',
    'contentDescriptorObject',
  ],
  ...['errorObject', 'exampleObject', 'examplePairingObject', 'linkObject', 'tagObject'],
  ...['externalDocumentationObject', 'referenceObject'],
] as const

const declarations = '#/x-extensions'

/** What keeps the declared extensions from being applied: the validator ends at these, or says nothing of use. */
export function extensionProblems(document: JsonObject): readonly ContractProblem[] {
  const list = member(document, 'x-extensions')
  if (list === undefined) return []
  if (!isArray(list)) return [{ pointer: declarations, message: 'must be a list of declared extensions' }]
  const names = list.map((item) => (isObject(item) ? stringMember(item, 'name') : undefined))
  return list.flatMap((item, at) => {
    const pointer = joinPointer(declarations, at)
    if (!isObject(item)) return [{ pointer, message: 'must be an object that declares an extension' }]
    const first = names.indexOf(names[at])
    if (names[at] !== undefined && first < at) {
      const message = `"${names[at]}" is also declared at ${joinPointer(declarations, first)}: keep one`
      return [{ pointer: joinPointer(pointer, 'name'), message }]
    }
    return declarationProblems(item, pointer)
  })
}

function declarationProblems(item: JsonObject, pointer: string): readonly ContractProblem[] {
  const missing = ['openrpcExtension', 'name', 'version', 'schema', 'restricted'].filter(
    (name) => member(item, name) === undefined,
  )
  const name = stringMember(item, 'name')
  const restricted = member(item, 'restricted')
  const isWrongList = restricted !== undefined && !isArray(restricted)
  return [
    ...missing.map((wanted) => ({
      pointer,
      message:
        wanted === 'restricted'
          ? 'the member "restricted" is missing: list the objects that the extension is for, such as "methodObject"'
          : `the member "${wanted}" is missing`,
    })),
    ...(name !== undefined && !name.startsWith('x-')
      ? [{ pointer: joinPointer(pointer, 'name'), message: `"${name}" must begin with "x-"` }]
      : []),
    ...(isWrongList ? [{ pointer: joinPointer(pointer, 'restricted'), message: 'must be a list' }] : []),
    ...(isArray(restricted) ? targetProblems(restricted, joinPointer(pointer, 'restricted')) : []),
    ...kindProblems(member(item, 'x-restricted'), joinPointer(pointer, 'x-restricted')),
    ...referenceProblems(member(item, 'schema'), joinPointer(pointer, 'schema')),
  ]
}

function targetProblems(restricted: readonly JsonValue[], pointer: string): readonly ContractProblem[] {
  const known: readonly JsonValue[] = extensibleObjects
  return restricted.flatMap((target, at) =>
    known.includes(target) && restricted.indexOf(target) === at
      ? []
      : [
          {
            pointer: joinPointer(pointer, at),
            message: known.includes(target)
              ? `${JSON.stringify(target)} is listed twice`
              : `${JSON.stringify(target)} cannot have extensions: use ${extensibleObjects.join(', ')}; what concerns the whole document goes on infoObject`,
          },
        ],
  )
}

/** Kinds of object that `restricted` cannot name. */
function kindProblems(kinds: JsonValue | undefined, pointer: string): readonly ContractProblem[] {
  if (kinds === undefined || (isArray(kinds) && kinds.every((kind) => kind === schemaKind))) return []
  return [{ pointer, message: `must be ["${schemaKind}"]: "restricted" names all other kinds of object` }]
}

/**
 * The schema of an extension becomes a part of the meta-schema, where nothing of the document is. What its values refer
 * to in the contract is said by `x-refers-to`.
 */
function referenceProblems(schema: JsonValue | undefined, pointer: string): readonly ContractProblem[] {
  if (isArray(schema)) return schema.flatMap((item, at) => referenceProblems(item, joinPointer(pointer, at)))
  if (!isObject(schema)) return []
  const reference = stringMember(schema, '$ref')
  const own =
    reference === undefined || reference.startsWith('#/definitions/')
      ? []
      : [
          {
            pointer: joinPointer(pointer, '$ref'),
            message: `"${reference}" cannot be followed from here: write in place what it leads to`,
          },
        ]
  const kind = stringMember(schema, 'x-refers-to')
  const isKnown = kind === undefined || referenceKinds.some((known) => known === kind)
  const message = `${JSON.stringify(kind)} is nothing that values can refer to: use ${referenceKinds.join(', ')}`
  return [
    ...own,
    ...(isKnown ? [] : [{ pointer: joinPointer(pointer, 'x-refers-to'), message }]),
    ...Object.entries(schema).flatMap(([name, inner]) =>
      referenceProblems(inner, joinPointer(pointer, name)),
    ),
  ]
}
