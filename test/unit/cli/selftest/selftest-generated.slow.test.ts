import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { resultMutations } from '../../../../src/judge/selftest/generated/result-mutations.js'
import { parseContract } from '../../../../src/toolkit/contract/index.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { runCommand } from '../conform/conform-harness.js'

const Order = {
  type: 'object',
  required: ['id', 'items', 'total'],
  properties: {
    id: { type: 'string', pattern: '^[a-z]{4}$' },
    total: { type: 'integer', minimum: 0 },
    note: { oneOf: [{ type: 'null' }, { type: 'string' }] },
    items: { type: 'array', minItems: 2, items: { type: 'string' } },
  },
  additionalProperties: false,
}
const shop = {
  openrpc: '1.3.2',
  info: { title: 'Shop', version: '1.0.0' },
  methods: [
    {
      name: 'order',
      params: [{ name: 'id', required: true, schema: { type: 'string' } }],
      result: { name: 'order', schema: { $ref: '#/components/schemas/Order' } },
      'x-laws': [{ law: 'equals', method: 'copy', params: { id: `\${params.id}` } }],
    },
    {
      name: 'copy',
      params: [{ name: 'id', required: true, schema: { type: 'string' } }],
      result: { name: 'order', schema: { $ref: '#/components/schemas/Order' } },
    },
  ],
  components: { schemas: { Order } },
}

const contract = parseContract(JSON.stringify(shop))
const [order] = contract.methods

t.test('each kind of mutation changes its place and nothing else', async (t) => {
  const result = { id: 'abcd', total: 3, note: 'x', items: ['p', 'q'] }
  const changed = (kind: string, ...path: readonly string[]) => {
    const found = order === undefined ? undefined : resultMutations(contract, order, () => true)
    return found?.mutations
      .find((one) => one.kind === kind && one.path.join() === path.join())
      ?.mutate(result)
  }
  t.same(changed('drop', 'note'), { id: 'abcd', total: 3, items: ['p', 'q'] })
  t.same(changed('null', 'total'), { ...result, total: null })
  t.same(changed('retype', 'id'), { ...result, id: 7 })
  t.same(changed('off by one', 'total'), { ...result, total: 4 })
  t.same(changed('case', 'id'), { ...result, id: 'ABCD' })
  t.same(changed('order', 'items'), { ...result, items: ['q', 'p'] })
  t.same(changed('swap'), { ...result, id: 3, total: 'abcd' })
  t.same(changed('case', 'items', '*'), { ...result, items: ['P', 'Q'] })
  t.equal(changed('off by one', 'id'), undefined)
  t.same(changed('null'), null)
})

/** A count of one kind in the JSON output. */
interface Count {
  readonly kind: string
  readonly applied: number
  readonly reached: number
  readonly forbidden: { readonly reached: number; readonly caught: number }
  readonly missed: readonly string[]
}

t.test('generated calls catch every mutation that a schema forbids', async (t) => {
  const file = join(await temporaryFolder(t), 'shop.json')
  await writeFile(file, JSON.stringify(shop))
  const args = ['--generated', '--contract', file, '--explore', '60']
  const { code, out, err } = await runCommand('selftest', [...args, '--json'])
  t.equal(code, 0, err)
  const { kinds } = JSON.parse(out) as { readonly kinds: readonly Count[] }
  for (const { kind, applied, reached, forbidden, missed } of kinds) {
    t.ok(applied > 0, kind)
    t.equal(reached, applied, kind)
    t.equal(forbidden.caught, forbidden.reached, kind)
    t.same(missed, [], kind)
  }
  t.ok(kinds.find(({ kind }) => kind === 'drop')?.forbidden.reached === 6, 'required members of both methods')
  const table = await runCommand('selftest', args)
  t.match(table.out, /^ {2}off by one +2 +2 +0 of 0 /m)
  t.match(table.out, '100.0 % of the forbidden ones caught')
})

t.test(
  'what no result can have is left out and listed, and examples with wrong results are not served',
  async (t) => {
    const file = join(await temporaryFolder(t), 'states.json')
    const method = (name: string, schema: object | boolean, value?: unknown) => ({
      name,
      params: [],
      result: { name: 'state', schema },
      ...(value === undefined
        ? {}
        : { examples: [{ name: 'wrong', params: [], result: { name: 'state', value } }] }),
    })
    const contradictory = { type: 'object', required: ['gone'], additionalProperties: false }
    const pending = { type: 'object', required: ['number'], properties: { number: { type: 'integer' } } }
    const mined = { type: 'object', required: ['hash'], properties: { hash: { type: 'string' } } }
    const deep = (levels: number): object =>
      levels === 0
        ? { type: 'array', items: { type: 'integer' } }
        : { type: 'object', required: ['in'], properties: { in: deep(levels - 1) } }
    const states = {
      openrpc: '1.3.2',
      info: { title: 'States', version: '1.0.0' },
      methods: [
        // The mocks have several seeds, so that the only call reaches both branches.
        method('sync', {
          oneOf: [
            { type: 'boolean' },
            { type: 'object', required: ['at'], properties: { at: { type: 'integer' } } },
          ],
        }),
        method('count', { type: 'integer' }, 'three'),
        method('nothing', false),
        method('old', { oneOf: [{ type: 'string' }, contradictory] }),
        method('list', {
          type: 'array',
          minItems: 2,
          items: { type: 'object', properties: { bad: contradictory, good: { type: 'string' } } },
        }),
        // Every mined block also fits the other form, so no result is one.
        method('block', { oneOf: [{ allOf: [pending, mined] }, pending] }),
        method('done', { type: 'null' }),
        { ...method('deep', deep(4)), params: [{ name: 'id', schema: { type: 'string' } }] },
      ],
    }
    await writeFile(file, JSON.stringify(states))
    const { code, out, err } = await runCommand('selftest', ['--generated', '--contract', file, '--json'])
    t.equal(code, 0, err)
    const { failed, reached, caught, impossible, kinds } = JSON.parse(out)
    t.same({ failed, reached, caught }, { failed: 0, reached: 1, caught: 1 })
    t.same(impossible, [
      '#/methods/2/result/schema',
      '#/methods/3/result/schema/oneOf/1',
      '#/methods/4/result/schema/items/properties/bad',
      '#/methods/5/result/schema/oneOf/0',
    ])
    t.equal(kinds.find(({ kind }: Count) => kind === 'drop').applied, 7, 'at, good, number and in')
    const table = await runCommand('selftest', ['--generated', '--contract', file])
    t.match(table.out, 'left out: no value fits #/methods/2/result/schema')
  },
)

t.test('options of the other mode are refused', async (t) => {
  const others = [
    ['http://127.0.0.1:1/'],
    ['--faults', 'x.js'],
    ['--scenarios', 'x'],
    ['--only', 'x'],
    ['--full'],
    ['--list'],
    ['--block-seconds', '2'],
  ]
  for (const args of others) {
    const { code, err } = await runCommand('selftest', ['--generated', ...args])
    t.equal(code, 2)
    t.match(err, '--generated takes only --contract, --explore, --seed and --json')
  }
  for (const [option, value, needed] of [
    ['--explore', '10', '--generated or --composed'],
    ['--seed', '3', '--sample, --generated or --composed'],
  ] as const) {
    const { code, err } = await runCommand('selftest', [option, value, '--list'])
    t.equal(code, 2)
    t.match(err, `${option} needs ${needed}`)
  }
})

t.test(
  'a contract without callable methods cannot be tested, and few calls are a reason to fail',
  async (t) => {
    const file = join(await temporaryFolder(t), 'contract.json')
    await writeFile(file, JSON.stringify({ ...shop, methods: [] }))
    const none = await runCommand('selftest', ['--generated', '--contract', file])
    t.equal(none.code, 2)
    t.match(none.err, 'the contract has no method whose result can be generated')
    await writeFile(file, JSON.stringify(shop))
    const few = await runCommand('selftest', ['--generated', '--contract', file, '--explore', '1'])
    t.equal(few.code, 1)
    t.match(few.out, 'unreached: drop at copy /id')
  },
)
