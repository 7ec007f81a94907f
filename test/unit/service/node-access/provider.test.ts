import { ethers } from 'ethers'
import t from 'tap'
import { createPublicClient, custom } from 'viem'
import { createProvider } from '../../../../src/service/node-access/index.js'
import { freePort } from '../../../support/free-port.js'
import { type Answer, caught, json, serve } from '../../runtime/client/rpc-server.js'

const page: Answer = (_, response) => void response.writeHead(502).end('<html>')
const reset: Answer = (_, response) => void response.socket?.resetAndDestroy()
const silent: Answer = () => undefined
const request = { method: 'eth_chainId' }

t.test('every error of a provider has a code of EIP-1193 or EIP-1474', async (t) => {
  const answered = json({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32005, message: 'spent', data: { limit: 1 } },
  })
  const rows: readonly [string, Answer, object, object][] = [
    ['an error answer', answered, request, { code: -32005, message: 'spent', data: { limit: 1 } }],
    ['an HTML page of a proxy', page, request, { code: -32603, cause: { kind: 'http', httpStatus: 502 } }],
    [
      'junk',
      json({ jsonrpc: '2.0', id: 9, result: 1 }),
      request,
      { code: -32603, cause: { kind: 'malformed' } },
    ],
    ['a broken connection', reset, request, { code: 4900, cause: { kind: 'network' } }],
    ['silence', silent, request, { code: 4900, cause: { kind: 'timeout' } }],
    ['a BigInt', silent, { method: 'eth_call', params: [1n] }, { code: -32602, message: /BigInt/ }],
  ]
  for (const [name, answer, sent, want] of rows) {
    const { url } = await serve(t, answer)
    const provider = createProvider(url, name === 'silence' ? { timeoutMilliseconds: 300 } : {})
    t.match(await caught(provider.request(sent as typeof request)), want, name)
  }
  const url = `http://127.0.0.1:${await freePort()}/`
  t.match(await caught(createProvider(url).request(request)), { code: 4900, message: /ECONNREFUSED/ })
})

t.test('a signal cancels a request of a provider, and the connection is closed', async (t) => {
  const controller = new AbortController()
  const { url, all } = await serve(t, () => controller.abort(new TypeError('mine')))
  const found = await caught(createProvider(url).request(request, { signal: controller.signal }))
  t.equal(found, controller.signal.reason)
  const socket = all[0]?.request.socket
  if (socket && !socket.closed) await new Promise((resolve) => socket.on('close', resolve))
  t.ok(socket?.destroyed)
})

t.test('viem and ethers distinguish a lost network from an error answer', async (t) => {
  const url = `http://127.0.0.1:${await freePort()}/`
  const viem = createPublicClient({ transport: custom(createProvider(url), { retryCount: 0 }) })
  t.match(await caught(viem.getChainId()), { name: 'ProviderDisconnectedError', code: 4900 })
  const provider = new ethers.BrowserProvider(createProvider(url), 31)
  t.teardown(() => provider.destroy())
  t.match(await caught(provider.getBlockNumber()), { error: { code: 4900 } })
})

t.test('viem and ethers gain batches, retries and redaction by the provider', async (t) => {
  let isBusy = true
  const answer: Answer = ({ sent, batch }, response) => {
    if (isBusy) {
      isBusy = false
      return page({ sent, batch } as never, response)
    }
    const items = [sent].flat().map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x1f' }))
    json(batch.length > 0 ? items : items[0])({ sent, batch } as never, response)
  }
  const addresses = Array.from({ length: 20 }, (_, at) => `0x${`${at}`.padStart(40, '0')}` as const)
  const viem = (url: string) => {
    const client = createPublicClient({ transport: custom(createProvider(url), { retryCount: 0 }) })
    return (address: `0x${string}`) => client.getBalance({ address })
  }
  const browser = (url: string) => {
    const provider = new ethers.BrowserProvider(createProvider(url), 31, { cacheTimeout: -1 })
    t.teardown(() => provider.destroy())
    return (address: string) => provider.getBalance(address)
  }
  for (const [name, create] of Object.entries({ viem, ethers: browser })) {
    isBusy = true
    const { url, all, close } = await serve(t, answer)
    const balance = create(url)
    t.same(new Set(await Promise.all(addresses.map(balance))), new Set([31n]), name)
    const counts = all.map(({ batch }) => batch.filter(({ method }) => method === 'eth_getBalance').length)
    t.same(counts.filter(Boolean), [20, 20], `${name}: one request, which was repeated after HTTP 502`)
    await close()
    const error = await caught(balance('0x00000000000000000000000000000000c0ffee01'))
    const texts = [String(error), JSON.stringify(error), String((error as Error).cause)]
    t.notOk(
      texts.some((text) => text.includes(new URL(url).pathname.slice(1))),
      `${name}: the key is redacted`,
    )
  }
})
