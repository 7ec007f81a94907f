import type { Contract } from './contract.js'
import type { ContractError, ContractProblem } from './contract-error.js'
import { pointerOf } from './documents.js'
import { isPattern } from './formats.js'
import { isObject, stringMember } from './json.js'
import { joinPointer } from './json-pointer.js'
import { keywordFormProblems } from './keyword-forms.js'
import { followed, reachableSchemas } from './reachable-schemas.js'
import { type LocatedSchema, referenceOf, schemaList, schemaMap, schemaMember, subschemas } from './schema.js'

/** Words of later drafts: OpenRPC's schemas are draft-07, where they would be passed over in silence. */
const laterKeywords: Readonly<Record<string, string>> = {
  prefixItems: 'write the tuple as a list under "items"',
  $dynamicRef: 'use "$ref"',
  $recursiveRef: 'use "$ref"',
}

/** Everything in the contract's schemas that no type and no validator can honour, each with its pointer. */
export function checkSchemas(contract: Contract): readonly ContractProblem[] {
  const problems: ContractProblem[] = []
  const dangling = ({ problems: found }: ContractError) =>
    void problems.push(...found.map((problem) => ({ ...problem, rule: 'dangling-reference' })))
  for (const located of reachableSchemas(contract, dangling)) {
    problems.push(...keywordFormProblems(located), ...keywordProblems(located), ...overlapProblems(located))
    if (isEndless(located, contract)) {
      const message = 'refers to itself without anything in between'
      problems.push({ pointer: located.pointer, message, rule: 'endless-reference' })
    }
  }
  return problems
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
      rule: 'unsupported-keyword',
    })),
    ...patterns.flatMap((pattern) => {
      if (pattern === undefined || isPattern(pattern)) return []
      return {
        pointer,
        message: `${JSON.stringify(pattern)} is no regular expression`,
        rule: 'invalid-pattern',
      }
    }),
  ]
}

/** An `$id` inside a document would move what `#/…` means beneath it; at a file's root it moves nothing. */
function overlapProblems({ schema, pointer }: LocatedSchema): readonly ContractProblem[] {
  if (!isObject(schema) || stringMember(schema, '$id') === undefined || pointerOf(pointer) === '#') return []
  const inner = subschemas({ schema, pointer }).some(holdsReference)
  const message = '"$id" changes what the references inside it mean: leave it out'
  return inner ? [{ pointer, message, rule: 'ambiguous-id' }] : []
}

function holdsReference(located: LocatedSchema): boolean {
  return referenceOf(located.schema) !== undefined || subschemas(located).some(holdsReference)
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
  const target = followed(located, contract, () => undefined)
  return [
    ...(target ? [target] : []),
    ...['not', 'if', 'then', 'else'].flatMap((keyword) => schemaMember(located, keyword) ?? []),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schemaList(located, keyword)),
    ...schemaMap(located, 'dependencies').map(([, schema]) => schema),
  ]
}
