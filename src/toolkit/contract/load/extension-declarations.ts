import type { ContractProblem } from '../contract-error.js'
import {
  arrayMember,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  objectMember,
  stringMember,
} from '../json.js'
import { joinPointer } from '../json-pointer.js'

const declarations = '#/x-extensions'

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
            pointer: joinPointer(declarations, at),
            kinds: [...arrayMember(value, 'restricted'), ...arrayMember(value, 'x-restricted')].map(String),
            isRequired: member(value, 'required') === true,
            summary: stringMember(value, 'summary') ?? '',
            schema: member(value, 'schema') ?? true,
          },
        ]
      : [],
  )
}

/** The kind of schema objects. OpenRPC's `restricted` does not allow it, so `x-restricted` does. */
export const schemaKind = 'schemaObject'

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
const referenceKinds: readonly string[] = [...ofMethod, ...ofContract, 'json-schema']

/** The kind of a reference to a name within the contract. */
export type ContractReference = (typeof ofContract)[number]

/** Whether references of a kind of `x-refers-to` name a part of their own method, such as a parameter. */
export function isOfMethod(kind: string): boolean {
  return ofMethod.some((known) => known === kind)
}

/** Meta-schema names of the objects that can have declared extensions. Schemas are not included. */
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

/**
 * Finds problems in extension declarations. OpenRPC's validator would throw on them or report unclear errors.
 */
export function declarationProblems(document: JsonObject): readonly ContractProblem[] {
  const list = member(document, 'x-extensions')
  if (list === undefined) return []
  if (!isArray(list)) return [{ pointer: declarations, message: 'must be a list of declared extensions' }]
  const names = list.map((item) => (isObject(item) ? stringMember(item, 'name') : undefined))
  return list.flatMap((item, at) => {
    const pointer = joinPointer(declarations, at)
    if (!isObject(item)) return [{ pointer, message: 'must be an extension declaration (an object)' }]
    const first = names.indexOf(names[at])
    if (names[at] !== undefined && first < at) {
      const message = `"${names[at]}" is already declared at ${joinPointer(declarations, first)}: remove one`
      return [{ pointer: joinPointer(pointer, 'name'), message }]
    }
    return [...memberProblems(item, pointer), ...statedForProblems(document, item, pointer)]
  })
}

function memberProblems(item: JsonObject, pointer: string): readonly ContractProblem[] {
  const missing = ['openrpcExtension', 'name', 'version', 'schema', 'restricted'].filter(
    (name) => member(item, name) === undefined,
  )
  const name = stringMember(item, 'name')
  const restricted = member(item, 'restricted')
  const isWrongList = restricted !== undefined && !isArray(restricted)
  return [
    ...missing.map((name) => ({
      pointer,
      message:
        name === 'restricted'
          ? 'the member "restricted" is missing: list the objects that may carry the extension, such as "methodObject"'
          : `the member "${name}" is missing`,
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
              ? `${JSON.stringify(target)} is listed twice: remove one`
              : `${JSON.stringify(target)} cannot have extensions: use ${extensibleObjects.join(', ')}. Extensions of the whole document belong to infoObject`,
          },
        ],
  )
}

/** Checks `x-stated-for`, which lists the schemas for which the extension has no default (`x-method-defaults`). */
function statedForProblems(
  document: JsonObject,
  item: JsonObject,
  pointer: string,
): readonly ContractProblem[] {
  const list = member(item, 'x-stated-for')
  if (list === undefined) return []
  const place = joinPointer(pointer, 'x-stated-for')
  if (!isArray(list)) return [{ pointer: place, message: 'must be a list of names of component schemas' }]
  const known = objectMember(objectMember(document, 'components'), 'schemas')
  return list.flatMap((name, at) =>
    typeof name === 'string' && member(known, name) !== undefined
      ? []
      : [
          {
            pointer: joinPointer(place, at),
            message: `${JSON.stringify(name)} is no schema of components.schemas`,
          },
        ],
  )
}

/** Checks `x-restricted`, which lists kinds of object that `restricted` does not allow. */
function kindProblems(kinds: JsonValue | undefined, pointer: string): readonly ContractProblem[] {
  if (kinds === undefined || (isArray(kinds) && kinds.every((kind) => kind === schemaKind))) return []
  return [{ pointer, message: `must be ["${schemaKind}"]: use "restricted" for all other kinds of object` }]
}

/**
 * Checks references in the schema of an extension. The schema becomes part of the meta-schema, so it cannot
 * refer to the document. `x-refers-to` states what its values refer to in the contract.
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
            message: `"${reference}" cannot be resolved from an extension schema: write the target inline`,
          },
        ]
  const kind = stringMember(schema, 'x-refers-to')
  const isKnown = kind === undefined || referenceKinds.some((known) => known === kind)
  const message = `${JSON.stringify(kind)} is not a valid reference target: use ${referenceKinds.join(', ')}`
  return [
    ...own,
    ...(isKnown ? [] : [{ pointer: joinPointer(pointer, 'x-refers-to'), message }]),
    ...Object.entries(schema).flatMap(([name, inner]) =>
      referenceProblems(inner, joinPointer(pointer, name)),
    ),
  ]
}
