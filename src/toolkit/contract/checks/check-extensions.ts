import { Ajv } from 'ajv'
import type { ContractProblem } from '../contract-error.js'
import { arrayMember, isObject, type JsonObject, type JsonValue, member, stringMember } from '../json.js'
import { joinPath, joinPointer } from '../json-pointer.js'
import type { Documents } from '../load/documents.js'
import {
  type ExtensionDeclaration,
  extensionDeclarations,
  schemaKind,
} from '../load/extension-declarations.js'
import { metaMessage } from '../load/meta-problems.js'
import type { Contract } from '../model/contract.js'
import { type ExtendedObject, extendedObjects } from '../model/extended-objects.js'
import { danglingExtensions } from './extension-references.js'

/**
 * Finds objects that lack a required extension, extensions that refer to nothing, and extensions of schemas that violate
 * their declaration.
 * @param contract the model of the contract
 * @param documents the files of the contract
 */
export function checkExtensions(contract: Contract, documents: Documents): readonly ContractProblem[] {
  const declarations = extensionDeclarations(contract.document)
  return [
    ...missingExtensions(contract, documents, declarations),
    ...danglingExtensions(contract, documents, declarations),
    ...brokenSchemaExtensions(contract, documents, declarations),
  ]
}

/** Maximum number of possible values that a message lists. */
const mostValues = 4

/** Finds objects that lack a required extension. OpenRPC's meta-schema cannot require extensions. */
function missingExtensions(
  contract: Contract,
  documents: Documents,
  declarations: readonly ExtensionDeclaration[],
): readonly ContractProblem[] {
  const required = declarations.filter(({ isRequired }) => isRequired)
  if (required.length === 0) return []
  return extendedObjects(contract, documents).flatMap((object) =>
    required
      .filter(({ name, kinds }) => kinds.includes(object.kind) && member(object.value, name) === undefined)
      .map((declaration) => ({
        pointer: object.pointer,
        message: `${labelOf(object)} lacks ${declaration.name}${meaning(declaration)}. ${remedy(declaration)}`,
        rule: 'missing-extension',
      })),
  )
}

/** `getPet`, or `the info object` if the object has no name. */
function labelOf({ kind, value }: ExtendedObject): string {
  return stringMember(value, 'name') ?? `the ${kind.replace('Object', ' object')}`
}

/** ` (the effect of a call)`. */
function meaning({ summary }: ExtensionDeclaration): string {
  if (summary === '') return ''
  return ` (${summary.charAt(0).toLowerCase()}${summary.slice(1).replace(/\.$/, '')})`
}

/** `Add "x-effect": "read" or "x-effect": "write".` */
function remedy({ name, pointer, schema }: ExtensionDeclaration): string {
  const values = possibleValues(schema)
  if (values.length === 0) return `Add "${name}": its form is at ${pointer}/schema.`
  const texts = values.slice(0, mostValues).map((value) => `"${name}": ${JSON.stringify(value)}`)
  return `Add ${texts.join(' or ')}${values.length > mostValues ? ', …' : '.'}`
}

/** Suggests values that a schema allows: examples, default, listed values, or simple values of its type. */
function possibleValues(schema: JsonValue): readonly JsonValue[] {
  if (!isObject(schema)) return []
  const examples = arrayMember(schema, 'examples')
  if (examples.length > 0) return examples
  for (const keyword of ['default', 'const']) {
    const value = member(schema, keyword)
    if (value !== undefined) return [value]
  }
  const listed = arrayMember(schema, 'enum')
  if (listed.length > 0) return listed
  const alternatives = [...arrayMember(schema, 'anyOf'), ...arrayMember(schema, 'oneOf')]
  if (alternatives.length > 0) return alternatives.flatMap(possibleValues)
  if (member(schema, 'type') === 'boolean') return [true, false]
  if (member(schema, 'type') === 'integer') return [member(schema, 'minimum') ?? 0]
  return member(schema, 'type') === 'array' && member(schema, 'minItems') === undefined ? [[]] : []
}

/**
 * Finds schema extensions that violate their declared schema. The meta-schema checks extensions of other
 * objects.
 */
function brokenSchemaExtensions(
  contract: Contract,
  documents: Documents,
  declarations: readonly ExtensionDeclaration[],
): readonly ContractProblem[] {
  const own = declarations.filter(({ kinds }) => kinds.includes(schemaKind))
  if (own.length === 0) return []
  const ajv = new Ajv({ strict: false, logger: false })
  return extendedObjects(contract, documents)
    .filter(({ kind }) => kind === schemaKind)
    .flatMap(({ pointer, value }) =>
      own.flatMap(({ name, schema }) => {
        const given = member(value, name)
        if (given === undefined || ajv.validate(schema as JsonObject | boolean, given)) return []
        const [error] = ajv.errors ?? []
        if (!error) return []
        const place = joinPath(joinPointer(pointer, name), error.instancePath)
        const { keyword, params, message } = error
        return [{ pointer: place, message: metaMessage({ keyword, params, message }), rule: 'meta-schema' }]
      }),
    )
}
