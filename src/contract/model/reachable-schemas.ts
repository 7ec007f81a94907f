import { ContractError } from '../contract-error.js'
import type { Contract } from './contract.js'
import { type LocatedSchema, referenceOf, subschemas } from './schema.js'

/**
 * Every schema that the contract uses or declares, each once, in the document's order as far as references allow.
 * @param dangling hears of references that lead nowhere; without it they are thrown
 */
export function reachableSchemas(
  contract: Contract,
  dangling?: (error: ContractError) => void,
): readonly LocatedSchema[] {
  const seen = new Map<string, LocatedSchema>()
  const waiting: LocatedSchema[] = [...declaredSchemas(contract)].reverse()
  for (let located = waiting.pop(); located; located = waiting.pop()) {
    if (seen.has(located.pointer)) continue
    seen.set(located.pointer, located)
    const target = followed(located, contract, dangling)
    waiting.push(...[...subschemas(located), ...(target ? [target] : [])].reverse())
  }
  return [...seen.values()]
}

/** The schemas that stand by themselves: components, parameters, results and the data of errors. */
export function declaredSchemas({ schemas, methods, errors }: Contract): readonly LocatedSchema[] {
  return [
    ...schemas,
    ...methods.flatMap(({ params, result }) => [...params, ...(result ? [result] : [])].map((d) => d.schema)),
    ...errors.flatMap(({ data }) => data ?? []),
  ]
}

/** What a schema's own reference leads to; undefined without one, or where it leads nowhere and `dangling` was told. */
export function followed(
  { schema, pointer }: LocatedSchema,
  { resolve }: Contract,
  dangling?: (error: ContractError) => void,
): LocatedSchema | undefined {
  const reference = referenceOf(schema)
  if (reference === undefined) return undefined
  try {
    return resolve(reference, pointer)
  } catch (error) {
    if (!(error instanceof ContractError) || !dangling) throw error
    dangling(error)
    return undefined
  }
}
