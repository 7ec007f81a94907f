import t from 'tap'
import { quantities } from '../../../../generated/decoded.js'
import { validators } from '../../../../generated/validators.js'
import {
  createResultValidator,
  isTransportError,
  type TransportError,
} from '../../../../src/runtime/client/index.js'
import { createClient, createProvider } from '../../../../src/service/node-access/index.js'
import { caught, serve } from './rpc-server.js'

const receipt = { status: '0x2' }
const invalid = {
  name: 'TransportError',
  kind: 'invalid',
  method: 'eth_getBalance',
  message: /^eth_getBalance: the result is invalid: must /,
  problem: { path: '', rule: 'pattern' },
}
const address = '0x00000000000000000000000000000000c0ffee01'

/** A server whose balances violate the contract, and whose other results do not. */
async function start(t: Parameters<typeof serve>[0]) {
  const results: Readonly<Record<string, unknown>> = {
    eth_getBalance: '0x01',
    eth_blockNumber: '0x10',
    eth_getTransactionReceipt: receipt,
  }
  const answerOf = ({ id, method }: { readonly id?: number; readonly method: string }) => ({
    jsonrpc: '2.0',
    id,
    result: results[method],
  })
  const { url } = await serve(t, ({ sent, batch }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(batch.length > 0 ? batch.map(answerOf) : answerOf(sent)))
  })
  return url
}

t.test('a call whose result violates the contract rejects, and other calls do not', async (t) => {
  const client = createClient(await start(t), { validate: createResultValidator(validators), batch: false })
  t.equal(await client.eth_blockNumber(), '0x10')
  const error = await caught(client.eth_getBalance(address))
  t.match(error, invalid)
  t.ok(isTransportError(error, 'invalid'))
  t.match(await caught(client.eth_getTransactionReceipt(`0x${'0'.repeat(64)}`)), {
    kind: 'invalid',
    problem: { path: /^/, rule: /./, message: /./ },
  })
  const [number, balance] = await client.batch((call) => [
    call.eth_blockNumber(),
    call.eth_getBalance(address),
  ])
  t.match(number, { status: 'fulfilled', value: '0x10' })
  t.match(balance, { status: 'rejected', reason: invalid })
})

t.test('calls of an automatic batch are validated one by one', async (t) => {
  const client = createClient(await start(t), { validate: createResultValidator(validators) })
  const [number, balance] = await Promise.allSettled([
    client.eth_blockNumber(),
    client.eth_getBalance(address),
  ])
  t.match(number, { value: '0x10' })
  t.match(balance, { reason: invalid })
})

t.test('with a callback, the error is reported and the call returns the result', async (t) => {
  const reported: TransportError[] = []
  const validate = createResultValidator(validators, { onInvalid: (error) => reported.push(error) })
  const client = createClient(await start(t), { validate })
  t.equal(await client.eth_getBalance(address), '0x01')
  t.equal(await client.eth_blockNumber(), '0x10')
  t.match(reported, [invalid])
  t.equal(reported.length, 1)
})

t.test('values of the wire are validated, also with decoded values and in a provider', async (t) => {
  const url = await start(t)
  const validate = createResultValidator(validators)
  const client = createClient(url, { validate, decode: quantities })
  t.equal(await client.eth_blockNumber(), 16n)
  t.match(await caught(client.eth_getBalance(address)), invalid)
  const { request } = createProvider(url, { validate })
  t.match(await caught(request({ method: 'eth_getBalance', params: [address] })), {
    code: -32603,
    cause: invalid,
  })
})

t.test('a sample of the results is validated', (t) => {
  const count = (sample: number) => {
    let found = 0
    const validate = createResultValidator(validators, { sample, onInvalid: () => found++ })
    for (let call = 0; call < 2_000; call += 1) validate('eth_getBalance', [], '0x01')
    return found
  }
  t.equal(count(0), 0)
  t.equal(count(1), 2_000)
  const half = count(0.5)
  t.ok(half > 600 && half < 1_400, `${half} of 2,000`)
  t.end()
})

t.test('methods without a validator are not validated', (t) => {
  const validate = createResultValidator(validators)
  t.doesNotThrow(() => validate('eth_unknown', [], 7))
  t.doesNotThrow(() => validate('constructor', [], 7))
  t.end()
})

t.test('a sample that is not a share is refused', (t) => {
  for (const sample of [-0.1, 1.1, Number.NaN]) {
    t.throws(() => createResultValidator(validators, { sample }), {
      name: 'RangeError',
      message: `sample is ${sample}: use a number from 0 to 1`,
    })
  }
  t.end()
})
