import type { Validator } from '@concordat/rpc'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import t from 'tap'
import { createSchemaChecker as createJudge } from '../../../../src/judge/checks/schema-checker.js'
import { schemaDocument } from '../../../../src/judge/checks/schema-document.js'
import { createSource } from '../../../../src/toolkit/codegen/index.js'
import { emitValidators } from '../../../../src/toolkit/codegen/validators/emit-validators.js'
import { useExactMultiples } from '../../../../src/toolkit/contract/exact-multiples.js'
import {
  type Contract,
  ContractError,
  createSchemaChecker,
  type JsonValue,
} from '../../../../src/toolkit/contract/index.js'
import { runs } from '../../../support/runs.js'
import { isSupported, schemas, sharedSchemas, values } from './arbitrary-schemas.js'
import { contractOf, methodOf, tool } from './fixtures.js'

type Validators = Readonly<Record<string, { readonly params: Validator; readonly result: Validator }>>

/** A contract of methods whose parameter and result have the same schema. */
function contractWith(all: readonly JsonValue[]): Contract {
  const methods = all.map((schema, at) => ({
    ...methodOf([{ name: 'p', required: true, schema }], schema),
    name: `m${at}`,
  }))
  return contractOf({ methods, components: { schemas: sharedSchemas } })
}

/** The validators of methods whose parameter and result have the same schema, loaded from memory. */
async function validatorsOf(all: readonly JsonValue[]): Promise<Validators> {
  const { content } = emitValidators(createSource(contractWith(all), tool))
  const module = await import(`data:text/javascript;base64,${Buffer.from(content).toString('base64')}`)
  return (module as { validators: Validators }).validators
}

/** ajv on the original schema; undefined when it throws, because it cannot compare a member named `toString`. */
function judge(schema: JsonValue, Oracle: typeof Ajv): (value: unknown) => boolean | undefined {
  const options = {
    strict: false,
    validateSchema: false,
    validateFormats: false,
    ownProperties: true,
  } as const
  // Without this option it stops at the first mistake, and then skips `contains` next to a tuple.
  const oracle = new Oracle({ ...options, allErrors: true, logger: false })
  // Its own division refuses 0.07 as a multiple of 0.01, and 1e21 as a multiple of 1.
  useExactMultiples(oracle)
  const validate = oracle.compile({
    $id: 'root',
    components: { schemas: sharedSchemas },
    properties: { it: schema },
  } as object)
  return (value) => {
    try {
      return validate({ it: value }) === true
    } catch {
      return undefined
    }
  }
}

const names = ['a', 'b', 'c', 'next', 'x-1', 'constructor', 'toString', "it's", '*/'] as const

const dialects = { 'draft-07': Ajv, '2020-12': Ajv2020 } as const

for (const [dialect, Oracle] of Object.entries(dialects) as [keyof typeof dialects, typeof Ajv][]) {
  t.test(
    `for random schemas of ${dialect} and values, all validators agree with ajv on the original schema`,
    async (t) => {
      let [agreed, valid] = [0, 0]
      await fc.assert(
        fc.asyncProperty(
          fc.array(schemas({ names, texts: ['A.', '*/ x'], dialect }), { minLength: 1, maxLength: 12 }),
          fc.array(values(), { minLength: 20, maxLength: 60 }),
          async (all, given) => {
            const usable = all.map((schema) => withoutDefaults(schema)).filter(isSupported)
            const validators = await validatorsOf(usable)
            const contract = contractWith(usable)
            const checker = createSchemaChecker(contract)
            const judged = createJudge(schemaDocument(contract, []))
            for (const [at, schema] of usable.entries()) {
              const isValid = judge(schema, Oracle)
              for (const value of given) {
                const want = isValid(value)
                if (want === undefined) continue
                agreed++
                if (want) valid++
                const ours = validators[`m${at}`]
                const result = contract.methods[at]?.result?.schema ?? { pointer: '', schema: false }
                const found = [
                  ours?.params([value]).length === 0,
                  ours?.result(value).length === 0,
                  checker(result, value).length === 0,
                  judged(result.pointer, value).length === 0,
                ]
                if (found.every((one) => one === want)) continue
                throw new Error(`ajv says ${want}, ours ${found}: ${JSON.stringify({ schema, value })}`)
              }
            }
          },
        ),
        { numRuns: runs(40), endOnFailure: false },
      )
      t.ok(valid > 100 && agreed - valid > 100, `${agreed} values, ${valid} valid`)
    },
  )
}

/** A default that violates its schema is refused; another test covers that. */
function withoutDefaults(schema: JsonValue): JsonValue {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => (key === 'default' ? undefined : value)),
  ) as JsonValue
}

t.test('a random schema is either supported or refused with a pointer', async () => {
  fc.assert(
    fc.property(fc.array(schemas({ names, texts: ['A.'] }), { maxLength: 4 }), (all) => {
      try {
        const methods = all.map((schema, at) => ({ ...methodOf([{ name: 'p', schema }]), name: `m${at}` }))
        emitValidators(createSource(contractOf({ methods, components: { schemas: sharedSchemas } }), tool))
        return true
      } catch (error) {
        return (
          error instanceof ContractError &&
          error.problems.every(({ pointer }) => pointer.startsWith('#/methods/'))
        )
      }
    }),
  )
})
