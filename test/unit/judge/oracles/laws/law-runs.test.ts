import t, { type Test } from 'tap'
import { lawScenarios } from '../../../../../src/judge/index.js'
import { type JsonObject, parseContract } from '../../../../../src/toolkit/contract/index.js'
import { type Methods, startJsonRpc } from '../../../../support/foreign/json-rpc-server.js'
import { runSuite } from '../../run/run-suite.js'

const integer = { type: 'integer' }
const param = (name: string, schema: object = integer) => ({ name, schema })
const page = {
  type: 'object',
  properties: {
    items: { type: 'array', items: integer },
    next: { type: ['integer', 'null'] },
    total: integer,
  },
}
const method = (name: string, params: readonly object[], schema: object, more: object = {}) => ({
  name,
  paramStructure: 'by-name',
  'x-effect': 'read',
  params,
  result: { name: 'r', schema },
  examples: [{ name: 'e', params: [], result: { name: 'r', value: null } }],
  ...more,
})

/** A suite has at least one case. */
const other = 'scenario: It is answered.\nsteps: [{ call: first, params: {}, expect: { within: 60 } }]\n'

/** Runs one law of a method against a service. */
async function judged(
  t: Test,
  name: string,
  law: JsonObject,
  methods: Methods,
  isRequired = false,
  ranges: readonly (readonly [number, number])[] = [[1, 9]],
): Promise<string> {
  const contract = {
    openrpc: '1.3.2',
    info: { title: 'T', version: '1' },
    methods: [
      method(
        'list',
        [
          param('size', { ...integer, minimum: 1, maximum: 20 }),
          { ...param('from'), required: isRequired },
          param('after'),
        ],
        page,
      ),
      method('between', [param('low'), param('high')], page, {
        examples: ranges.map(([low, high]) => ({
          name: `${low} to ${high}`,
          params: [
            { name: 'low', value: low },
            { name: 'high', value: high },
          ],
          result: { name: 'r', value: {} },
        })),
      }),
      method('first', [], { type: ['integer', 'null'] }),
      method('count', [], integer),
      method('add', [], integer, { 'x-effect': 'write' }),
      method('remove', [param('item')], integer, { 'x-effect': 'write' }),
    ].map((one) => (one.name === name ? { ...one, 'x-laws': [law] } : one)),
  }
  const url = await startJsonRpc(t, methods)
  const scenarios = lawScenarios(parseContract(JSON.stringify(contract)))
  const { cases } = await runSuite(t, url, { 'a/b.yaml': other }, { contract, scenarios, allow: ['write'] })
  const found = cases.find(({ group }) => group === 'laws')
  return `${found?.verdict} ${found?.reason ?? ''}`.trim()
}

const items = [3, 1, 4, 1, 5, 9, 2]
const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise)

/** Pages by position. */
const byOffset = (wrong: (page: readonly number[], from: number) => readonly number[] = (page) => page) => ({
  list: ({ size, from }: { readonly size?: unknown; readonly from?: unknown }) => {
    const start = number(from, 0)
    return { items: wrong(items.slice(start, start + number(size, 20)), start), total: items.length }
  },
})
const offsets = { law: 'pages', list: '/items', size: 'size', offset: 'from', total: '/total' }

t.test('a required position is sent for the first page, too', async (t) => {
  t.equal(await judged(t, 'list', offsets, byOffset(), true), 'pass')
  const shorter = byOffset((page, from) => (from > 0 ? page.slice(0, -1) : page))
  t.match(await judged(t, 'list', offsets, shorter, true), /^fail .*item \d of joined pages/)
})

t.test('pages by position join to the whole list', async (t) => {
  t.equal(await judged(t, 'list', offsets, byOffset()), 'pass')
  const shorter = byOffset((page, from) => (from > 0 ? page.slice(0, -1) : page))
  t.match(
    await judged(t, 'list', offsets, shorter),
    /^fail step \d+: item \d of joined pages of \d: expected \d/,
  )
  const empty = byOffset(() => [])
  t.equal(
    await judged(t, 'list', offsets, empty),
    'not-applicable no call of list gave a list with two items',
  )
})

t.test('the total of pages is the number of all items', async (t) => {
  const one = { list: (params: object) => ({ ...byOffset().list(params), total: 6 }) }
  t.match(
    await judged(t, 'list', offsets, one),
    'fail step 1: /result/total: expected 7, the number of items of the whole list, got 6',
  )
})

t.test('pages by number count from 1, and from 0 where that is the minimum', async (t) => {
  const paged = (first: number) => ({
    list: ({ size, from }: { readonly size?: unknown; readonly from?: unknown }) => {
      const length = number(size, 20)
      const start = (number(from, first) - first) * length
      return { items: items.slice(start, start + length) }
    },
  })
  const law = { law: 'pages', list: '/items', size: 'size', page: 'from' }
  t.equal(await judged(t, 'list', law, paged(1)), 'pass')
  t.match(await judged(t, 'list', law, paged(0)), /^fail /)
})

t.test('a cursor of a page is accepted, and ends with the list', async (t) => {
  const law = { law: 'pages', list: '/items', size: 'size', cursor: 'after', next: '/next' }
  const list =
    (refused: number, end: number | null = null) =>
    ({ size, after }: { readonly size?: unknown; readonly after?: unknown }) => {
      const start = number(after, 0)
      if (start === refused) throw new Error('The cursor is unknown.')
      const next = start + number(size, 20)
      return { items: items.slice(start, next), next: next < items.length ? next : end }
    }
  t.equal(await judged(t, 'list', law, { list: list(-1) }), 'pass')
  t.match(
    await judged(t, 'list', law, { list: list(4) }),
    /^fail step \d+: \/error: expected a page, as its cursor is from the page before, got error/,
  )
})

t.test('a list that changes between the calls is inconclusive', async (t) => {
  let calls = 0
  const growing = {
    list: ({ size, from }: { readonly size?: unknown; readonly from?: unknown }) => {
      const all = [...items, ...Array.from({ length: ++calls }, (_, at) => at)].toReversed()
      const start = number(from, 0)
      return { items: all.slice(start, start + number(size, 20)), total: all.length }
    },
  }
  t.equal(
    await judged(t, 'list', offsets, growing),
    'inconclusive other calls changed what list is compared with, in each of 3 attempts',
  )
})

t.test('the first item is that of the list, and null if the list is empty', async (t) => {
  const law = { law: 'first-of', method: 'list', list: '/items' }
  const methods = (all: readonly number[], first: number | null) => ({
    list: () => ({ items: all }),
    first: () => first,
  })
  t.equal(await judged(t, 'first', law, methods(items, 3)), 'pass')
  t.equal(await judged(t, 'first', law, methods([], null)), 'pass')
  t.equal(
    await judged(t, 'first', law, methods(items, 1)),
    'fail step 1: /result: expected 3, the first item of list, got 1',
  )
  t.equal(
    await judged(t, 'first', law, methods([], 3)),
    'fail step 1: /result: expected null, because list returns an empty list, got 3',
  )
})

t.test('a call is undone, changes what is observed, and the other call is accepted', async (t) => {
  const law = {
    law: 'undone-by',
    method: 'remove',
    params: { item: '${result}' },
    observe: [{ method: 'count' }],
  }
  const methods = (added: number, removed: number | undefined) => {
    let count = 5
    return {
      count: () => count,
      add: () => {
        count += added
        return count
      },
      remove: () => {
        if (removed === undefined) throw new Error('It cannot be removed.')
        count -= removed
        return count
      },
    }
  }
  t.equal(await judged(t, 'add', law, methods(1, 1)), 'pass')
  t.match(
    await judged(t, 'add', law, methods(2, 1)),
    /^fail step \d+: \/result: expected \d+, as count returned before add, got \d+$/,
  )
  t.match(
    await judged(t, 'add', law, methods(0, 0)),
    /^fail step \d+: \/result: expected another result of count after add, got the same as before$/,
  )
  t.match(
    await judged(t, 'add', law, methods(1, undefined)),
    /^fail step \d+: \/error: expected a result, because it undoes add, got error/,
  )
  let ticks = 0
  const busy = { ...methods(1, 1), count: () => ++ticks }
  t.equal(
    await judged(t, 'add', law, busy),
    'inconclusive other calls changed what add is compared with, in each of 3 attempts',
  )
})

t.test('a law with a mistake is an error of the contract', async (t) => {
  t.equal(
    await judged(t, 'list', { law: 'sorted', list: '/item', by: [''] }, byOffset()),
    'harness-error step 1: #/methods/0/x-laws/0/list: "/item" does not exist in the result of "list": correct the path',
  )
})

t.test('a range has the items of its parts', async (t) => {
  const law = { law: 'partition', list: '/items', from: 'low', to: 'high' }
  const between =
    (isCut: (width: number) => boolean) =>
    ({ low, high }: { readonly low?: unknown; readonly high?: unknown }) => {
      const [least, most] = [number(low, 0), number(high, 0)]
      if (isCut(most - least)) return { items: [] }
      return {
        items: items.toSorted((one, other) => one - other).filter((one) => one >= least && one <= most),
      }
    }
  const first = () => 1
  t.equal(await judged(t, 'between', law, { between: between(() => false), first }), 'pass')
  t.match(
    await judged(t, 'between', law, { between: between((width) => width > 6), first }),
    /^fail .*\/result\/items: expected the 7 items of the ranges 1 to 5, 6 to 9 together, got 0 items$/,
  )
  t.match(await judged(t, 'between', law, { between: between(() => true), first }), /^not-applicable/)
  const ranges = [
    [1, 9],
    [2, 6],
  ] as const
  const refusing = (params: { readonly low?: unknown; readonly high?: unknown }) => {
    if (number(params.high, 0) - number(params.low, 0) > 6) throw new Error('The range is too long.')
    return between(() => false)(params)
  }
  t.equal(
    await judged(t, 'between', law, { between: refusing, first }, false, ranges),
    'pass',
    'the service refuses the widest range',
  )
})
