/** Types of schemas whose parts depend on each other: tsc takes every valid value, and refuses what it can express. */

import fc from 'fast-check'
import t from 'tap'
import { emitTypes } from '../../../../src/toolkit/codegen/emit/emit-types.js'
import { literal } from '../../../../src/toolkit/codegen/index.js'
import {
  type Contract,
  createSchemaChecker,
  type JsonObject,
  type JsonValue,
} from '../../../../src/toolkit/contract/index.js'
import { isLong } from '../../../support/runs.js'
import { hostileTexts, schemas, sharedSchemas } from './arbitrary-schemas.js'
import { combinedComponents, combinedSchemas, combinedValues } from './combined-schemas.js'
import { contractOf, emitted, inFolder, methodOf, write } from './fixtures.js'
import { strictCompile } from './strict-compile.js'

const seed = Number(process.env['FC_SEED'] ?? 20261129)
const numRuns = isLong ? 2000 : 400

const methodsOf = (all: readonly JsonValue[]) =>
  all.map((schema, at) => ({
    ...methodOf([{ name: 'p', required: true, schema }]),
    name: `m${at}`,
    paramStructure: 'by-position',
  }))

t.test(
  'types of random combinations compile, and are those of the values that validators take',
  async (t) => {
    t.comment(`FC_SEED=${seed}`)
    const all = fc.sample(combinedSchemas, { numRuns, seed })
    const contract = contractOf({ methods: methodsOf(all), components: { schemas: combinedComponents } })
    const hostile = fc.sample(schemas({ names: hostileTexts, texts: ['*/ x'] }), {
      numRuns: numRuns / 2,
      seed,
    })
    const others = contractOf({ methods: methodsOf(hostile), components: { schemas: sharedSchemas } })
    const uses = usesOf(contract, all)
    await inFolder(async (dir) => {
      await write(dir, { path: 'd/types.ts', content: emitted(emitTypes, contract) })
      await write(dir, { path: 'd/uses.ts', content: uses.join('') })
      await write(dir, { path: 'e/types.ts', content: emitted(emitTypes, others) })
      const errors = (await strictCompile(dir)).split('\n').filter((line) => line.includes('error'))
      const told = errors.slice(0, 20).map((error) => {
        const line = Number(/uses\.ts\((\d+)/.exec(error)?.[1] ?? 0)
        const use = uses
          .join('')
          .split('\n')
          .slice(line - 2, line + 1)
          .join('\n')
        return `${error}\n${use}\n${JSON.stringify(all[Number(/'m(\d+)'/.exec(use)?.[1])])}`
      })
      t.equal(told.join('\n'), '', `${errors.length} errors`)
    })
    const refused = uses.filter((use) => use.includes('@ts-expect-error')).length
    t.ok(refused > numRuns && uses.length > 2 * numRuns, `${uses.length} values, ${refused} refused`)
  },
)

/** Statements that compile if the type of a parameter takes the valid values, and refuses the others. */
function usesOf(contract: Contract, all: readonly JsonObject[]): readonly string[] {
  const check = createSchemaChecker(contract)
  const uses = contract.methods.flatMap(({ params }, at) =>
    combinedValues.flatMap((value) => {
      const isValid = params.every(({ schema }) => check(schema, value).length === 0)
      if (!isValid && !isExpressible(all[at] ?? {}, value)) return []
      const expected = isValid ? '' : '// @ts-expect-error\n'
      return [
        `{\nconst v = [${literal(value)}] as const\n${expected}void (v satisfies Params['m${at}'])\n}\n`,
      ]
    }),
  )
  return ["import type { Params } from './types.js'\n", ...uses]
}

/**
 * Returns true if TypeScript can refuse an invalid value of a schema. It has no type for `oneOf`, nor for
 * `additionalProperties`.
 */
function isExpressible(schema: JsonObject, value: JsonValue): boolean {
  const text = JSON.stringify(schema)
  if (text.includes('"oneOf"')) return false
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return !isObject || !text.includes('additionalProperties')
}
