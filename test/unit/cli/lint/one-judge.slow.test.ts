import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { loadMethods } from '../../../../src/cli/mock/mock-methods.js'
import { exploredScenarios } from '../../../../src/judge/index.js'
import { exploredCases, generate } from '../../../../src/toolkit/codegen/index.js'
import {
  type Contract,
  ContractError,
  isObject,
  type JsonObject,
  type JsonValue,
  parseContract,
} from '../../../../src/toolkit/contract/index.js'
import { lintContract } from '../../../../src/toolkit/lint/index.js'
import { createAnswerCall } from '../../../../src/toolkit/mock/answer-call.js'
import { isLong } from '../../../support/runs.js'
import { schemas, sharedSchemas } from '../../toolkit/codegen/arbitrary-schemas.js'
import { documentOf, inFolder, methodOf, tool, write } from '../../toolkit/codegen/fixtures.js'
import { extremes } from './extreme-schemas.js'

const names = ['a', 'b', 'constructor', 'x-1', '__proto__'] as const
const choices = { names, texts: ['A.'] } as const
const kinds = {
  'draft-07': schemas(choices),
  '2020-12': schemas({ ...choices, dialect: '2020-12' }),
  extreme: extremes,
} as const

/**
 * Schemas of a document, and documents of each kind: the same few in the short form, over a thousand in the long form.
 * More do not fit into the heap of one process, because Node.js never frees the modules that it has loaded.
 */
const together = 12
const documents = isLong ? 40 : 2

/** Says where commands disagree with lint about a document, each with a line. */
async function disagreements(document: JsonObject): Promise<readonly string[]> {
  const text = JSON.stringify(document)
  const findings = await inFolder(async (dir) => {
    await write(dir, { path: 'openrpc.json', content: text })
    return lintContract(join(dir, 'openrpc.json'))
  })
  const raw = findings.filter(({ message }) =>
    /strict mode|schema is invalid|must NOT|\bdata\//.test(message),
  )
  const refused = findings.filter(({ rule, severity }) => severity === 'error' && !ofValues.has(rule))
  const told = new Set(findings.filter(({ rule }) => ofValues.has(rule)).map(({ pointer }) => pointer))
  const contract = attempt(() => parseContract(text))
  const made = contract instanceof ContractError ? contract : attempt(() => generate(contract, tool))
  const lines = [
    ...raw.map(({ pointer, message }) => `lint repeats a message of ajv at ${pointer}: ${message}`),
    ...(made instanceof ContractError && refused.length === 0
      ? [`generate refuses what lint accepts: ${made.message}`]
      : []),
    ...(made instanceof ContractError || refused.length === 0
      ? []
      : [`generate accepts what lint refuses: ${refused[0]?.pointer} ${refused[0]?.message}`]),
  ]
  if (made instanceof ContractError || contract instanceof ContractError) return lines
  return [...lines, ...(await served(contract, told))]
}

/** Rules about values: generate does not need values. */
const ofValues: ReadonlySet<string> = new Set([
  'undeclared-required-member',
  'endless-value',
  'no-value',
  'pattern-without-examples',
])

function attempt<Value>(step: () => Value): Value | ContractError {
  try {
    return step()
  } catch (error) {
    if (error instanceof ContractError) return error
    throw error
  }
}

/** Says where the mock and the generated cases have no value that lint promised, or an invalid one. */
async function served(contract: Contract, told: ReadonlySet<string>): Promise<readonly string[]> {
  const methods = await loadMethods(contract)
  const answer = createAnswerCall({ contract, examples: new Map(), seed: 's' })
  const answers = contract.methods.flatMap(({ name, result }) => {
    const descriptor = methods[name]
    if (descriptor === undefined || result === undefined) return [`${name} has no validators`]
    try {
      const problems = descriptor.validateResult(answer(descriptor, [], undefined) as JsonValue)
      return problems.length === 0 ? [] : [`mock: ${name} answers ${JSON.stringify(problems[0])}`]
    } catch (error) {
      const place = /schema at (\S+):/.exec(String(error))?.[1] ?? ''
      return isTold(place, told) ? [] : [`mock: ${name}: ${String(error)}`]
    }
  })
  const document = exploredCases(contract, { calls: 60, seed: 1, mayCall: () => true })
  const cases = exploredScenarios(document).flatMap(({ id, notRun, steps }) => {
    const place = /\(([^)]*)\): correct/.exec(notRun ?? '')?.[1] ?? ''
    if (notRun !== undefined) return isTold(place, told) ? [] : [`${id}: ${notRun}`]
    return steps.flatMap((step) => {
      if (step.kind !== 'call' || JSON.stringify(step.call.params).includes('${')) return []
      const problems = methods[step.call.method]?.validateParams(step.call.params ?? []) ?? []
      const isValid = !isObject(step.expect?.error as JsonValue | undefined)
      return isValid === (problems.length === 0) ? [] : [`${id}: ${JSON.stringify([step.call, problems])}`]
    })
  })
  return [...answers, ...cases]
}

/** Lint reports a closed object, or a part of it, for a member that the object forbids. */
function isTold(place: string, told: ReadonlySet<string>): boolean {
  const object = place.replace(/\/additionalProperties$/, '')
  return [...told].some((pointer) => place.startsWith(pointer) || pointer.startsWith(object))
}

for (const [kind, schema] of Object.entries(kinds)) {
  t.test(`lint, generate, mock and conform agree about random schemas: ${kind}`, async (t) => {
    let tried = 0
    const outcome = await fc.check(
      fc.asyncProperty(fc.array(schema, { minLength: together, maxLength: together }), async (all) => {
        tried += all.length
        const methods = all.map((one, at) => {
          const plain = withoutDefaults(one)
          return { ...methodOf([{ name: 'p', required: true, schema: plain }], plain), name: `m${at}` }
        })
        const found = await disagreements(documentOf({ methods, components: { schemas: sharedSchemas } }))
        if (found.length > 0) throw new Error(withSchemas(found, all))
      }),
      { numRuns: documents, endOnFailure: true },
    )
    t.comment(`${tried} schemas`)
    t.equal(tried, documents * together, `seed ${outcome.seed}, path ${outcome.counterexamplePath}`)
    t.equal(outcome.failed ? String(outcome.errorInstance) : '', '')
  })
}

/** Adds the schema of each method that a line names. */
function withSchemas(lines: readonly string[], all: readonly JsonValue[]): string {
  return lines
    .map((line) => {
      const at = /\bm(\d+)\b/.exec(line)?.[1] ?? /methods\/(\d+)/.exec(line)?.[1]
      return `${line}\n${at === undefined ? '' : JSON.stringify(all[Number(at)])}`
    })
    .join('\n')
}

/** A default that violates its schema is refused; another test covers that. */
function withoutDefaults(schema: JsonValue): JsonValue {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => (key === 'default' ? undefined : value)),
  ) as JsonValue
}
