import { Ajv } from 'ajv'
import type { ContractProblem } from '../contract-error.js'
import { type JsonObject, member } from '../json.js'
import { joinPath, joinPointer } from '../json-pointer.js'
import type { Documents } from '../load/documents.js'
import { metaMessage } from '../load/meta-problems.js'
import type { Contract } from './contract.js'
import { extendedObjects, schemaKind } from './extended-objects.js'
import type { ExtensionDeclaration } from './extension-declarations.js'

/**
 * Finds schema extensions that violate their declared schema. The meta-schema checks extensions of other
 * objects.
 */
export function brokenSchemaExtensions(
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
