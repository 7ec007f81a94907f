import { ContractError } from '../contract-error.js'
import { isObject, member } from '../json.js'
import type { Contract } from './contract.js'
import { type LocatedSchema, referenceOf, subschemas } from './schema.js'

interface Reached {
  readonly schemas: readonly LocatedSchema[]
  readonly dangling: readonly ContractError[]
}

const known = new WeakMap<Contract, Reached>()

/**
 * Lists every schema that the contract uses or declares, each once, in the document's order where references
 * allow it. A contract is searched once.
 * @param contract the model of the contract
 * @param dangling receives dangling references; without it they are thrown
 * @throws ContractError for a dangling reference if `dangling` is absent
 */
export function reachableSchemas(
  contract: Contract,
  dangling?: (error: ContractError) => void,
): readonly LocatedSchema[] {
  const reached = known.get(contract) ?? reach(contract)
  known.set(contract, reached)
  for (const error of reached.dangling) {
    if (!dangling) throw error
    dangling(error)
  }
  return reached.schemas
}

function reach(contract: Contract): Reached {
  const dangling: ContractError[] = []
  const seen = new Map<string, LocatedSchema>()
  const waiting: LocatedSchema[] = [...declaredSchemas(contract)].reverse()
  for (let located = waiting.pop(); located; located = waiting.pop()) {
    if (seen.has(located.pointer)) continue
    seen.set(located.pointer, located)
    const target = followed(located, contract, (error) => void dangling.push(error))
    waiting.push(...[...subschemas(located), ...(target ? [target] : [])].reverse())
  }
  return { schemas: [...seen.values()], dangling }
}

/** Lists the schemas of components, parameters, results and error data. */
export function declaredSchemas({ schemas, methods, errors }: Contract): readonly LocatedSchema[] {
  return [
    ...schemas,
    ...methods.flatMap(({ params, result }) => [...params, ...(result ? [result] : [])].map((d) => d.schema)),
    ...errors.flatMap(({ data }) => data ?? []),
  ]
}

/**
 * Resolves the reference of a schema.
 * @param located the schema
 * @param contract the contract that resolves references
 * @param dangling receives a dangling reference; without it the error is thrown
 * @returns the target, or undefined without a reference or for a dangling one
 * @throws ContractError for a dangling reference if `dangling` is absent
 */
export function followed(
  located: LocatedSchema,
  contract: Contract,
  dangling?: (error: ContractError) => void,
): LocatedSchema | undefined {
  const { schema, pointer } = located
  const reference = referenceOf(schema)
  if (reference === undefined) return undefined
  try {
    return contract.resolve(reference, pointer)
  } catch (error) {
    if (!(error instanceof ContractError) || !dangling) throw error
    dangling(error)
    return undefined
  }
}

/** True for a reference without other keywords. */
function isPlainReference({ schema }: LocatedSchema): boolean {
  return isObject(schema) && Object.keys(schema).length === 1 && member(schema, '$ref') !== undefined
}

const knownEnds = new WeakMap<Contract, Map<string, LocatedSchema>>()

/** Resolves a chain of references without other keywords. Results are cached, so each chain is followed once. */
export function endOfReferences(located: LocatedSchema, contract: Contract): LocatedSchema {
  const ends = knownEnds.get(contract) ?? new Map<string, LocatedSchema>()
  knownEnds.set(contract, ends)
  const seen = new Set<string>()
  let end = located
  while (isPlainReference(end) && !seen.has(end.pointer)) {
    seen.add(end.pointer)
    end = ends.get(end.pointer) ?? followed(end, contract) ?? end
  }
  for (const pointer of seen) ends.set(pointer, end)
  return end
}
