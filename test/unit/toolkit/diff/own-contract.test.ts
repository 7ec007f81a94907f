import { readFileSync } from 'node:fs'
import t from 'tap'
import {
  type Contract,
  ContractError,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  parseContract,
} from '../../../../src/toolkit/contract/index.js'
import { diffContracts } from '../../../../src/toolkit/diff/index.js'
import { isLong } from '../../../support/runs.js'
import { lineOf } from './told.js'

const document = JSON.parse(readFileSync(new URL('../../../../openrpc.json', import.meta.url), 'utf8'))
const own = parseContract(JSON.stringify(document))

/** A changed copy of the contract; undefined when the change removes it. */
function changed(change: (copy: Copy) => void): Contract | undefined {
  const copy = structuredClone(document)
  change(copy)
  try {
    return parseContract(JSON.stringify(copy))
  } catch (error) {
    if (error instanceof ContractError) return undefined
    throw error
  }
}

/** The members of the document that the tests below change. */
interface Copy {
  readonly info: Record<string, Record<string, Record<string, JsonValue>>>
  readonly methods: { name: string; params: { required: boolean }[]; errors: { $ref: string }[] }[]
  readonly components: {
    readonly schemas: Record<
      string,
      { required: string[]; properties: Record<string, JsonValue>; pattern: string }
    >
  }
}

function lines(change: (copy: Copy) => void): readonly string[] {
  const next = changed(change)
  return next ? diffContracts(own, next).map(lineOf) : []
}

function found<Item>(items: Readonly<Record<string, Item>>, name: string): Item {
  const item = items[name]
  if (item === undefined) throw new Error(`there is no ${name}`)
  return item
}

const methodNamed = ({ methods }: Copy, wanted: string) =>
  found(Object.fromEntries(methods.map((method) => [method.name, method])), wanted)

t.test('the contract does not differ from itself', async (t) => {
  t.same(diffContracts(own, own), [])
  t.same(
    lines((copy) => {
      copy.methods.reverse()
      for (const schema of Object.values(copy.components.schemas)) schema.required?.reverse()
    }),
    [],
  )
})

t.test('realistic changes of the contract', async (t) => {
  t.same(
    lines((copy) => {
      const log = found(copy.components.schemas, 'Log')
      log.properties['blockAge'] = { $ref: '#/components/schemas/Quantity' }
      log.required.push('blockAge')
      const { params } = methodNamed(copy, 'eth_getBalance')
      for (const param of params) param.required = true
      copy.methods.push({ ...structuredClone(methodNamed(copy, 'eth_chainId')), name: 'eth_feeHistory' })
      found(found(copy.info, 'x-limits'), 'requestsPerUserPerDay')['value'] = 20_000
    }),
    [
      'C #/info/x-limits/requestsPerUserPerDay lowered: 25000 requests became 20000 requests',
      ...(methodNamed(document, 'eth_getBalance').params.every(({ required }) => required)
        ? []
        : ['C #/methods/eth_getBalance/params/1 became required']),
      'S #/components/schemas/Log gained required member "blockAge"',
      'S #/methods/eth_feeHistory added',
    ],
  )
  t.same(
    lines((copy) => {
      const receipt = found(copy.components.schemas, 'Receipt')
      delete receipt.properties['gasUsed']
      receipt.required = receipt.required.filter((name) => name !== 'gasUsed')
      found(copy.components.schemas, 'Hash').pattern = '^0x[0-9a-f]{64}$|^none$'
      const call = methodNamed(copy, 'eth_call')
      call.errors = call.errors.filter(({ $ref }) => !$ref.endsWith('/executionReverted'))
    }).map((line) => line.replace(/pattern ".*: cannot/, 'pattern …: cannot')),
    [
      'CS #/components/schemas/Hash pattern …: cannot tell its effect',
      'C #/components/schemas/Receipt lost required member "gasUsed"',
      'S #/methods/eth_call/errors/3 error 3 ("execution reverted") removed: servers may no longer return it',
    ],
  )
})

/** Every place of the document with a scalar value. */
function leaves(value: JsonValue, place = '#'): readonly string[] {
  if (isArray(value)) return value.flatMap((item, at) => leaves(item, joinPointer(place, at)))
  if (!isObject(value)) return [place]
  return Object.entries(value).flatMap(([name, item]) => leaves(item ?? null, joinPointer(place, name)))
}

function changeLeaf(root: JsonObject, pointer: string): void {
  const tokens = pointer.split('/').slice(1)
  const names = tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = names.pop() ?? ''
  const holder = names.reduce<Record<string, unknown>>((at, name) => at[name] as never, root as never)
  const value = holder[last]
  holder[last] = typeof value === 'boolean' ? !value : typeof value === 'number' ? value + 1 : `${value}~`
}

/** Every nth value is changed. All of them take minutes and were checked once. */
const step = isLong ? 127 : 211

t.test('every change of a single value is detected', async (t) => {
  const all = leaves(document)
  let seen = 0
  const unseen: string[] = []
  for (let at = 0; at < all.length; at += step) {
    const pointer = all[at] ?? ''
    const next = changed((copy) => changeLeaf(copy as unknown as JsonObject, pointer))
    if (!next) continue
    if (diffContracts(own, next).length === 0) unseen.push(pointer)
    else seen++
  }
  t.same(unseen, [])
  t.ok(seen > all.length / step / 2, `${seen} changes, of every ${step}th of ${all.length} values`)
})
