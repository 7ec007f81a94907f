import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import t from 'tap'
import { methods } from '../../../../generated/methods.js'

/**
 * Changes every example of the contract at every place in every listed way. The generated validators and ajv must agree
 * on the validity of each.
 */
interface Authored {
  readonly methods: readonly {
    readonly name: string
    readonly params: readonly { readonly required: boolean; readonly schema: object }[]
    readonly examples: readonly (Example | { readonly $ref: string })[]
  }[]
  readonly components: { readonly examplePairings: Readonly<Record<string, Example>> }
}

interface Example {
  readonly params: readonly { readonly value: unknown }[]
  readonly result?: { readonly value: unknown }
}

const document = JSON.parse(
  readFileSync(new URL('../../../../openrpc.json', import.meta.url), 'utf8'),
) as Authored
const oracle = new Ajv({ strict: false, validateSchema: false, validateFormats: false })
oracle.addSchema({ ...document, $id: 'contract' } as object, 'contract', false, false)

/** The example that a reference names. */
function shared(reference: string): Example {
  const found = document.components.examplePairings[reference.split('/').at(-1) ?? '']
  if (found === undefined) throw new Error(`no example at ${reference}`)
  return found
}

const word = 'a'.repeat(64)
const replacements: readonly unknown[] = [
  null,
  true,
  7,
  1.5,
  '',
  'latest',
  '0x',
  '0x0',
  '0x00',
  '0xA',
  `0x${word}`,
  `0x${word.toUpperCase()}`,
  `0x${word}a`,
  `0x${'b'.repeat(40)}`,
  [],
  [null],
  ['0x'],
  Array(5).fill(`0x${word}`),
  {},
  { '': null },
]

/** The value with one place replaced, for every place and replacement, and with each member or item removed. */
function* mutations(value: unknown, depth = 0): Generator<unknown> {
  yield* replacements
  if (typeof value !== 'object' || value === null || depth > 3) return
  const entries = Object.entries(value)
  const rebuilt = (changed: readonly (readonly [string, unknown])[]) =>
    Array.isArray(value) ? changed.map(([, item]) => item) : Object.fromEntries(changed)
  for (const [index, [name, inner]] of entries.entries()) {
    yield rebuilt(entries.filter((_, other) => other !== index))
    for (const mutated of mutations(inner, depth + 1)) {
      yield rebuilt(entries.map((entry, other) => (other === index ? [name, mutated] : entry)))
    }
  }
  yield Array.isArray(value) ? [...value, value[0]] : { ...value, more: 1, status: '0x1', root: `0x${word}` }
}

for (const [index, { name, params, examples }] of document.methods.entries()) {
  t.test(name, async (t) => {
    const { validateParams, validateResult } = methods[name as keyof typeof methods]
    const at = (pointer: string) => ({ $ref: `contract#/methods/${index}/${pointer}` })
    const judgeResult = oracle.compile(at('result/schema'))
    const judgeParams = oracle.compile({
      type: 'array',
      items: params.map((_, position) => at(`params/${position}/schema`)),
      minItems: params.filter(({ required }) => required).length,
      additionalItems: false,
    })
    let tried = 0
    const disagreements: string[] = []
    const compare = (value: unknown, valid: boolean, problems: readonly unknown[]) => {
      tried++
      if (valid !== (problems.length === 0)) disagreements.push(JSON.stringify(value).slice(0, 200))
    }
    for (const stated of examples) {
      const example = '$ref' in stated ? shared(stated.$ref) : stated
      const given = example.params.map((param) => param.value)
      for (const value of mutations(given)) {
        if (Array.isArray(value)) compare(value, judgeParams(value), validateParams(value))
      }
      for (const value of mutations(example.result?.value))
        compare(value, judgeResult(value), validateResult(value))
    }
    t.same(disagreements.slice(0, 5), [], `${tried} values`)
  })
}
