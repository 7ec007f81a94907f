import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { isLong } from '../support/runs.js'
import { type ContractDocument, scratchCopy } from '../support/scratch-copy.js'
import { call, post, type RunningService, startService } from '../support/service.js'

/**
 * In openrpc.json, every forwarded method can be removed without affecting others, and a network can be renamed. The
 * short form removes three methods at once.
 */
interface Method {
  readonly name: string
  readonly 'x-answer'?: unknown
  readonly examples: readonly { readonly params: readonly { readonly value: unknown }[] }[]
}

const { methods } = JSON.parse(await readFile('openrpc.json', 'utf8')) as {
  readonly methods: readonly Method[]
}
const forwarded = methods.filter((method) => method['x-answer'] === 'node').map(({ name }) => name)
/** One that other methods link to, one that reads the head, and one that the service itself calls. */
const inShort = ['eth_getUncleCountByBlockHash', 'eth_getBlockByNumber', 'eth_getTransactionByHash']

/** Calls every method with the parameters of its first example; returns the kind of result or the error code. */
async function outcomes({ networks }: RunningService): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>()
  for (const { name, examples } of methods) {
    const params = examples[0]?.params.map(({ value }) => value)
    const { json } = await post(networks.test.url, { jsonrpc: '2.0', id: 1, method: name, params })
    const { result, error } = json
    found.set(name, error === undefined ? (result === null ? null : typeof result) : error.code)
  }
  return found
}

const service = await startService()
t.teardown(() => service.stop())
const whole = await outcomes(service)

t.test('the methods include those of the short form', async (t) => {
  t.same(
    inShort.filter((name) => !forwarded.includes(name)),
    [],
  )
  t.notOk([...whole.values()].includes(-32601))
})

/** Renames a network everywhere in the contract. */
function rename(document: ContractDocument, from: string, to: string): void {
  const { info } = document
  info['x-networks'] = Object.fromEntries(
    Object.entries(info['x-networks']).map(([name, network]) => [name === from ? to : name, network]),
  )
  renameWithin(document, from, to)
}

/** Names of networks are values of `x-network`, and names of servers. */
function renameWithin(value: unknown, from: string, to: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [member, inner] of Object.entries(value)) {
    if (['name', 'x-network'].includes(member) && inner === from) Object.assign(value, { [member]: to })
    else renameWithin(inner, from, to)
  }
}

/** Removes methods from the contract. */
function remove(document: ContractDocument, removed: readonly string[]): void {
  document.methods = document.methods.filter((method) => !removed.includes(method.name))
  const { 'x-head': head } = document.info as { 'x-head'?: { readonly method: string } }
  // The judge reads the head with a method of the contract.
  if (head !== undefined && removed.includes(head.method)) delete document.info['x-head']
}

const expectedWithout = (removed: readonly string[]) => [
  ...new Map([...whole, ...removed.map((name) => [name, -32601] as const)]),
]

if (isLong) {
  for (const removed of forwarded) {
    t.test(`without ${removed} the service compiles, starts and answers all other methods`, async (t) => {
      const copy = await scratchCopy(t)
      await copy.edit((document) => remove(document, [removed]))
      await copy.build()
      t.same([...(await outcomes(await copy.start()))], expectedWithout([removed]))
    })
  }
}

t.test('a network is renamed and back, and methods are removed', async (t) => {
  const copy = await scratchCopy(t)
  await copy.edit((document) => rename(document, 'main', 'live'))
  const { out } = await copy.run('lint', copy.folder)
  t.match(out, 'no problems')
  const unremoved = await readFile(join(copy.folder, 'openrpc.json'), 'utf8')
  await copy.edit((document) => remove(document, inShort))
  await copy.build()
  const renamed = await copy.start()
  t.same(Object.keys(renamed.networks).sort(), ['live', 'test'])
  t.equal(await call(renamed.networks['live']?.url ?? '', 'eth_chainId'), '0x1e')
  t.equal(await call(renamed.networks.test.url, 'eth_chainId'), '0x1f')
  t.same([...(await outcomes(renamed))], expectedWithout(inShort), 'all other methods are answered')
  const given = ['--user', 'ada@example.com', '--network', 'live', '--name', 'own', '--data', renamed.data]
  t.equal((await copy.run('keys', 'create', ...given)).code, 0)

  await writeFile(join(copy.folder, 'openrpc.json'), unremoved)
  await copy.edit((document) => rename(document, 'live', 'main'))
  await copy.run('generate', copy.folder)
  for (const name of (await readdir('generated')).filter((name) => name !== 'dist')) {
    t.equal(
      await readFile(join(copy.folder, 'generated', name), 'utf8'),
      await readFile(join('generated', name), 'utf8'),
    )
  }
})
