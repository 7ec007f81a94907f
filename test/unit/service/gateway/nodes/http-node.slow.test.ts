import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import t from 'tap'
import { tuningDefaults as tuning } from '../../../../../src/service/gateway/app/config/tuning.js'
import { createUpstream } from '../../../../../src/service/gateway/nodes/index.js'
import { startNodeServer } from '../../../../support/node-server.js'
import { post, startService } from '../../../../support/service.js'
import { until } from '../../../../support/until.js'
import {
  address,
  balance as balanceOf,
  settings,
  unchecked,
  upstreamOf,
} from '../../../../support/upstream-of.js'

const certificateFile = fileURLToPath(new URL('../../../../fixtures/tls/certificate.pem', import.meta.url))
const tls = {
  cert: readFileSync(certificateFile),
  key: readFileSync(new URL('../../../../fixtures/tls/key.pem', import.meta.url)),
}

/** Asks for the balance of a new account, so that the answer is not cached. */
const balance = (account: number) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_getBalance',
  params: [`0x${account.toString(16).padStart(40, '0')}`, 'latest'],
})

t.test(
  'a node over https with its key in the path: connections are reused, and the key is never shown',
  async (t) => {
    const node = await startNodeServer({}, tls)
    const sockets = new Set<unknown>()
    const paths = new Set<string | undefined>()
    node.fault = ({ message }) => {
      sockets.add(message.socket)
      paths.add(message.url)
      return false
    }
    const url = node.url.replace('//', '//operator:s3cr3t-word@').concat('/v2/PROVIDERKEY123456')
    const env = { CONCORDAT_NODES_TEST: url, CONCORDAT_NODES_MAIN: url, CONCORDAT_LOG_LEVEL: 'trace' }
    const service = await startService({ env: { ...env, NODE_EXTRA_CA_CERTS: certificateFile } })
    for (let time = 0; time < 20; time++) {
      t.match((await post(service.networks.test.url, balance(16 + time))).json, {
        result: `0x${(16 + time).toString(16)}`,
      })
    }
    t.strictSame([...paths], ['/v2/PROVIDERKEY123456'])
    t.ok(sockets.size < 10, `${sockets.size} connections for 20 calls: long idle ones are closed`)
    await node.close()
    const answer = await post(service.networks.test.url, balance(1))
    t.equal(answer.status, 503)
    await service.stop()

    const stranger = await startNodeServer({}, tls)
    const distrusting = await startService({
      env: { ...env, CONCORDAT_NODES_TEST: url.replace(/:\d+\//, `:${new URL(stranger.url).port}/`) },
    })
    t.equal(
      (await post(distrusting.networks.test.url, balance(1))).status,
      503,
      'its certificate is not trusted',
    )
    t.ok(await distrusting.said('err', /self-signed certificate/), 'the log says why')
    await distrusting.stop()
    await stranger.close()
    for (const { out, err } of [service.output(), distrusting.output()]) {
      t.notMatch(out + err + answer.text, /PROVIDERKEY|s3cr3t-word|operator:/)
      t.notMatch(err, new RegExp(`127\\.0\\.0\\.1:${new URL(node.url).port}`), 'nor is the address')
    }
  },
)

t.test('addresses and credentials are removed from texts of a node and of its network errors', async (t) => {
  const secret = /PROVIDER|KEY123456|pass-word|QUERYTOKEN|HEADERTOKEN|127\.0\.0\.1|dXNlcg/
  const told: unknown[] = []
  const note = (facts: object, words: string) => told.push(facts, words)
  const node = await startNodeServer()
  const url = `${node.url.replace('//', '//user:pass%2Dword@')}/v2/PROVIDER%2DKEY123456?token=QUERYTOKEN`
  node.fault = ({ calls, message }, response) => {
    if (calls[0]?.method !== 'eth_call') return false
    const seen = `${decodeURIComponent(message.url ?? '')} ${message.headers.authorization} ${message.headers['x-token']} ${url}`
    t.match(seen, /KEY123456.*Basic dXNlcjpwYXNzLXdvcmQ= Bearer HEADERTOKEN/)
    if (calls[0]?.params[0] === 'page') response.writeHead(404).end(`<html>no ${seen}</html>`)
    else if (calls[0]?.params[0] === 'cut') response.destroy()
    else response.end(JSON.stringify({ id: calls[0]?.id, error: { code: 3, message: seen, data: seen } }))
    return true
  }
  const upstream = createUpstream({
    tuning,
    nodes: [node.settings({ name: 'provider', url, headers: { 'X-Token': 'Bearer HEADERTOKEN' } })],
    timeoutMs: 60_000,
    chainId: '0x1f',
    log: { error: note, warn: note, info: note },
  })
  for (const [param, wanted] of [
    ['page', { httpStatus: 502, cause: { node: 'provider' } }],
    ['cut', { httpStatus: 503, cause: { node: 'provider' } }],
  ] as const) {
    const error = await upstream.call('eth_call', [param]).catch((reason: unknown) => reason)
    t.match(error, wanted)
    told.push(error)
  }
  told.push(await upstream.call('eth_call', ['error']))
  await node.close()
  told.push(
    await upstream.call('eth_call', ['refused']).catch((reason: unknown) => reason),
    upstream.status(),
  )
  await until(() => told.includes('a node does not answer checks and is not used'))
  await upstream.close()
  const everything = inspect(told, { depth: 10, showHidden: true }).replace(/^ +at .*$/gm, '')
  t.notMatch(everything, secret)
})

t.test('calls of unknown cost delay neither small calls nor checks', async (t) => {
  const node = await startNodeServer({ fault: ({ calls }) => calls[0]?.method === 'eth_call' })
  const checked: number[] = []
  const upstream = upstreamOf(t, [node], { settings: { ...settings, connections: 2, checkMs: 1_000 } })
  await until(() => upstream.head() === 100n)
  const hanging = Array.from({ length: 6 }, (_, number) => upstream.call('eth_call', [address(number)]))
  await until(() => node.requests.length === 2)
  for (let number = 1; number <= 3; number++) {
    node.head++
    t.match(await balanceOf(upstream, number), { result: `0x${number}` })
    await until(() => upstream.head() === BigInt(node.head))
    checked.push(node.head)
  }
  t.strictSame(checked, [101, 102, 103])
  t.equal(upstream.status()[0]?.state, 'ok')
  await Promise.all([upstream.close(), ...hanging.map((call) => t.rejects(call, { code: -32002 }))])
})

t.test('an answer in chunks is read, with any boundaries', async (t) => {
  const version = 'Nöde/1.0 – €😀'
  const node = await startNodeServer({
    fault({ calls: [call] }, response) {
      if (call?.method !== 'web3_clientVersion') return false
      const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: call.id, result: version }))
      for (const byte of bytes) response.write(Buffer.of(byte))
      response.end()
      return true
    },
  })
  const upstream = upstreamOf(t, [node], { settings: unchecked })
  t.strictSame(await upstream.call('web3_clientVersion', []), { result: version })
})

t.test('a batch keeps its connection after the last caller has disconnected', async (t) => {
  const node = await startNodeServer({
    fault: ({ isBatch, calls }) => isBatch && calls.every(({ method }) => method === 'eth_getBalance'),
  })
  const upstream = upstreamOf(t, [node], { settings: unchecked })
  await upstream.ready()
  const callers = [new AbortController(), new AbortController()]
  const calls = callers.map(({ signal }, number) =>
    upstream.call('eth_getBalance', [address(number), 'latest'], { signal }),
  )
  const batch = () =>
    node.requests.find(({ calls }) => calls.some(({ method }) => method === 'eth_getBalance'))
  await until(() => batch() !== undefined)
  t.equal(batch()?.calls.length, 2)
  const socket = batch()?.message.socket
  for (const [at, caller] of callers.entries()) {
    t.notOk(socket?.closed)
    caller.abort(new DOMException('left', 'AbortError'))
    await t.rejects(async () => calls[at], { name: 'AbortError' })
  }
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  t.notOk(socket?.closed)
})
