import t from 'tap'
import type { JsonValue } from '../../src/runtime/rpc/index.js'
import { type NodeServerCall, sendAnswers, startNodeServer } from '../support/node-server.js'
import { post, runConcordat, startService } from '../support/service.js'

/** The members of call objects and log filters that reach a node (rules call.other-members and logs.other-members). */
const answers: Readonly<Record<string, JsonValue>> = {
  eth_call: '0x01',
  eth_estimateGas: '0x10000',
  eth_getLogs: [],
}
const node = await startNodeServer({
  fault: (request, response) => {
    if (!request.calls.every(({ method }) => method in answers)) return false
    sendAnswers(request, response, ({ method }) => ({ result: answers[method] }))
    return true
  },
})
const main = await startNodeServer({ chainId: '0x1e' })
const service = await startService({
  env: { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: main.url },
})
t.teardown(async () => {
  await service.stop()
  await node.close()
  await main.close()
})

const listed = `0x${'ab'.repeat(20)}`
const other = `0x${'cd'.repeat(20)}`
const hash = `0x${'12'.repeat(32)}`

async function keys(...args: string[]) {
  const { code, out, err } = await runConcordat(['keys', ...args, '--json', '--data', service.data])
  if (code !== 0) throw new TypeError(`keys ${args.join(' ')}: ${err}`)
  return JSON.parse(out) as { readonly url: string; readonly id: string }
}

const key = await keys('create', '--user', 'members@example.com', '--network', 'test', '--name', 'listed')
await keys('set', key.id, '--allow-contracts', listed)

/** Sends a call; returns its error and the calls that reached the node. */
async function outcome(url: string, method: string, params: string) {
  node.requests.length = 0
  const { json } = await post(url, `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`)
  const asked = node.requests.flatMap(({ calls }) => calls).filter((call) => call.method in answers)
  return { error: json.error, asked: asked.map(({ params: [first] }: NodeServerCall) => first) }
}

/** Methods with their object, and the parameters after it. */
const methods = [
  ['eth_call', 'to', ',"latest"'],
  ['eth_estimateGas', 'to', ''],
  ['eth_getLogs', 'address', ''],
] as const

/** Names that a decoder may accept as listed ones when it ignores case by Unicode rules. */
const lookalikes = {
  to: ['To', 'TO', 'tO'],
  address: ['Address', 'ADDRESS', 'addreſs', 'addresS'],
} as const

t.test(
  'a member that differs from a listed one only in case is refused by name, for every key',
  async (t) => {
    for (const [method, member, more] of methods)
      for (const name of lookalikes[member])
        for (const url of [key.url, service.networks.test.url])
          for (const pair of [
            `"${member}":"${listed}","${name}":"${other}"`,
            `"${name}":"${other}","${member}":"${listed}"`,
          ]) {
            const { error, asked } = await outcome(url, method, `[{${pair}}${more}]`)
            t.match(error, {
              code: -32602,
              data: [{ path: '/0', message: `the member "${name}" is not known` }],
            })
            t.same(asked, [], `${method} ${name}: no node is asked`)
          }
  },
)

t.test('other members that the contract does not list are refused by name', async (t) => {
  for (const [method, member, more] of methods)
    for (const name of ['gasLimit', 'blobs', 'stateOverride', 'Chain', '', '__proto__', 'constructor']) {
      const { error, asked } = await outcome(
        key.url,
        method,
        `[{"${member}":"${listed}","${name}":{}}${more}]`,
      )
      t.match(error, { code: -32602, data: [{ path: '/0', message: `the member "${name}" is not known` }] })
      t.same(asked, [], `${method} ${name}: no node is asked`)
    }
  const inside = `[{"to":"${listed}","accessList":[{"address":"${listed}","storageKeys":[],"Address":1}]},"latest"]`
  t.match((await outcome(key.url, 'eth_call', inside)).error, {
    code: -32602,
    data: [{ path: '/0/accessList/0', message: 'the member "Address" is not known' }],
  })
})

t.test('members that cannot change a result are dropped, whatever their value', async (t) => {
  let gas = 0
  for (const [method, member, more] of methods)
    for (const name of ['chain', 'chainId', 'hardfork', 'networkId', ...(member === 'to' ? ['common'] : [])])
      for (const value of ['"0x1f"', '31', 'null', '{"to":"x"}']) {
        // Calls differ, so that none is answered from the cache.
        gas += 1
        const own = member === 'to' ? { gas: `0x${gas.toString(16)}` } : { topics: [hash] }
        const sent = JSON.stringify({ [member]: listed, ...own }).slice(1)
        const { error, asked } = await outcome(key.url, method, `[{"${name}":${value},${sent}${more}]`)
        t.equal(error, undefined, `${method} ${name} ${value}`)
        const { [member]: named, ...others } = Object(asked[0])
        t.equal(named, listed)
        t.strictSame(others, { ...others, ...own })
        t.notOk(Object.hasOwn(others, name), 'the node does not receive it')
      }
})

t.test('every listed member reaches the node unchanged', async (t) => {
  const call = {
    from: other,
    to: listed,
    gas: '0x5208',
    gasPrice: '0x1',
    value: '0x2',
    data: '0x03',
    nonce: '0x4',
    type: '0x2',
    accessList: [{ address: listed, storageKeys: [hash] }],
    maxFeePerGas: '0x5',
    maxPriorityFeePerGas: '0x6',
    maxFeePerBlobGas: '0x7',
    blobVersionedHashes: [hash],
    authorizationList: [
      { chainId: '0x1f', address: listed, nonce: '0x0', yParity: '0x1', r: '0x1', s: '0x2' },
    ],
  }
  for (const [method, , more] of methods.slice(0, 2)) {
    const { error, asked } = await outcome(key.url, method, `[${JSON.stringify(call)}${more}]`)
    t.equal(error, undefined)
    t.same(asked, [call], method)
  }
  const filter = { address: listed, topics: [hash, null, [hash]], blockHash: hash }
  t.same((await outcome(key.url, 'eth_getLogs', `[${JSON.stringify(filter)}]`)).asked, [filter])
})

t.test('of duplicate members the last one counts, for the list and for the node', async (t) => {
  const twice = (first: string, last: string) =>
    outcome(key.url, 'eth_call', `[{"to":"${first}","to":"${last}"},"latest"]`)
  t.match(await twice(listed, other), { error: { code: -32016 }, asked: [] })
  t.same((await twice(other, listed)).asked, [{ to: listed }])
})
