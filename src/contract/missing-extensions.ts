import type { Contract } from './contract.js'
import type { ContractProblem } from './contract-error.js'
import type { Documents } from './documents.js'
import { extendedObjects } from './extended-objects.js'
import { arrayMember, isObject, member, stringMember } from './json.js'

/** Objects without an extension that `x-extensions` declares as required, which the meta-schema cannot ask for. */
export function missingExtensions(contract: Contract, documents: Documents): readonly ContractProblem[] {
  const required = arrayMember(contract.document, 'x-extensions')
    .filter(isObject)
    .filter((declaration) => member(declaration, 'required') === true)
  if (required.length === 0) return []
  const objects = extendedObjects(contract, documents)
  return required.flatMap((declaration) => {
    const name = stringMember(declaration, 'name') ?? ''
    const kinds = arrayMember(declaration, 'restricted')
    const summary = stringMember(declaration, 'summary')
    return objects
      .filter(({ kind, value }) => kinds.includes(kind) && member(value, name) === undefined)
      .map(({ pointer }) => ({
        pointer,
        message: `has no "${name}", which "x-extensions" declares as required: add it${summary ? ` (${summary})` : ''}`,
        rule: 'missing-extension',
      }))
  })
}
