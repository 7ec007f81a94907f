import type { Contract } from './contract.js'
import { ContractError, type ContractProblem } from './contract-error.js'
import { isObject, stringMember } from './json.js'
import { joinPointer } from './json-pointer.js'
import { type LocatedSchema, referenceOf, schemaList, schemaMap, schemaMember, subschemas } from './schema.js'

/** Assertions of later drafts: OpenRPC's schemas are draft-07, where these words would be passed over in silence. */
const laterKeywords: Readonly<Record<string, string>> = {
  prefixItems: 'write the tuple as a list under "items"',
  dependentRequired: 'use "dependencies"',
  dependentSchemas: 'use "dependencies"',
  unevaluatedProperties: 'use "additionalProperties"',
  unevaluatedItems: 'use "additionalItems"',
  minContains: 'draft-07 has "contains" alone',
  maxContains: 'draft-07 has "contains" alone',
  $dynamicRef: 'use "$ref"',
  $recursiveRef: 'use "$ref"',
}

/** Everything in the contract's schemas that no type and no validator can honour, each with its pointer. */
export function checkSchemas(contract: Contract): readonly ContractProblem[] {
  const problems: ContractProblem[] = []
  for (const located of reachableSchemas(contract, problems)) {
    problems.push(...keywordProblems(located), ...overlapProblems(located))
    if (isEndless(located, contract)) {
      problems.push({ pointer: located.pointer, message: 'refers to itself without anything in between' })
    }
  }
  return problems
}

/** Every schema that the contract uses, each once; references that lead nowhere are noted. */
function reachableSchemas(contract: Contract, problems: ContractProblem[]): readonly LocatedSchema[] {
  const seen = new Map<string, LocatedSchema>()
  const waiting: LocatedSchema[] = [...rootSchemas(contract)].reverse()
  for (let located = waiting.pop(); located; located = waiting.pop()) {
    if (seen.has(located.pointer)) continue
    seen.set(located.pointer, located)
    const target = follow(located, contract, problems)
    waiting.push(...[...subschemas(located), ...(target ? [target] : [])].reverse())
  }
  return [...seen.values()]
}

/** The schemas that stand by themselves: components, parameters, results and the data of errors. */
function rootSchemas(contract: Contract): readonly LocatedSchema[] {
  return [
    ...contract.schemas,
    ...contract.methods.flatMap(({ params, result }) => [
      ...params.map(({ schema }) => schema),
      ...(result ? [result.schema] : []),
    ]),
    ...contract.errors.flatMap(({ data }) => data ?? []),
  ]
}

function follow(located: LocatedSchema, contract: Contract, problems: ContractProblem[]) {
  const reference = referenceOf(located.schema)
  if (reference === undefined) return undefined
  try {
    return contract.resolve(reference, located.pointer)
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    problems.push(...error.problems)
    return undefined
  }
}

function keywordProblems({ schema, pointer }: LocatedSchema): readonly ContractProblem[] {
  if (!isObject(schema)) return []
  const later = Object.keys(schema).filter((keyword) => Object.hasOwn(laterKeywords, keyword))
  const patterns = [
    stringMember(schema, 'pattern'),
    ...schemaMap({ schema, pointer }, 'patternProperties').map(([pattern]) => pattern),
  ]
  return [
    ...later.map((keyword) => ({
      pointer: joinPointer(pointer, keyword),
      message: `"${keyword}" is not of JSON Schema draft-07: ${laterKeywords[keyword]}`,
    })),
    ...patterns.flatMap((pattern) => {
      if (pattern === undefined || compiles(pattern)) return []
      return { pointer, message: `${JSON.stringify(pattern)} is no regular expression` }
    }),
  ]
}

/** An `$id` inside the document would move what `#/…` means beneath it. */
function overlapProblems({ schema, pointer }: LocatedSchema): readonly ContractProblem[] {
  if (!isObject(schema) || stringMember(schema, '$id') === undefined) return []
  const inner = subschemas({ schema, pointer }).some(holdsReference)
  return inner ? [{ pointer, message: '"$id" changes what the references inside it mean: leave it out' }] : []
}

function holdsReference(located: LocatedSchema): boolean {
  return referenceOf(located.schema) !== undefined || subschemas(located).some(holdsReference)
}

function compiles(pattern: string): boolean {
  for (const flags of ['u', '']) {
    try {
      new RegExp(pattern, flags)
      return true
    } catch {
      // tried again without the flag: draft-07 does not ask for it
    }
  }
  return false
}

/** True where checking a value against the schema would come back to the schema with the same value. */
function isEndless(start: LocatedSchema, contract: Contract): boolean {
  const seen = new Set<string>()
  const waiting = sameValueSchemas(start, contract)
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.pointer === start.pointer) return true
    if (seen.has(next.pointer)) continue
    seen.add(next.pointer)
    waiting.push(...sameValueSchemas(next, contract))
  }
  return false
}

function sameValueSchemas(located: LocatedSchema, contract: Contract): LocatedSchema[] {
  const target = follow(located, contract, [])
  return [
    ...(target ? [target] : []),
    ...['not', 'if', 'then', 'else'].flatMap((keyword) => schemaMember(located, keyword) ?? []),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schemaList(located, keyword)),
    ...schemaMap(located, 'dependencies').map(([, schema]) => schema),
  ]
}
