import { fileURLToPath } from 'node:url'
import t from 'tap'
import { createChecks } from '../../../../src/judge/index.js'
import { type JsonObject, type JsonValue, loadContract } from '../../../../src/toolkit/contract/index.js'
import { contractOf, methodOf, shown } from './fixtures.js'

const own = createChecks(
  await loadContract(fileURLToPath(new URL('../../../../openrpc.json', import.meta.url))),
)
const plain = createChecks(contractOf())

/** Adds data schemas to some errors. */
const extensions = ['x-data-schema', 'x-data-optional'].map((name) => ({
  openrpcExtension: '0.0.0-development',
  name,
  version: '1.0.0',
  restricted: ['errorObject'],
  schema: {},
}))

t.test('a response has a version, an id, and either a result or an error', async (t) => {
  const one = ' must have exactly one of "result", "error"'
  const rows: readonly [JsonValue, readonly string[]][] = [
    [{ jsonrpc: '2.0', id: 1, result: null }, []],
    [{ jsonrpc: '2.0', id: 'a', result: 0, more: 1 }, []],
    [{ jsonrpc: '2.0', id: null, error: { code: 1, message: '' } }, []],
    [{ jsonrpc: '2.0', id: 1 }, [one]],
    [{ jsonrpc: '2.0', id: 1, result: 1, error: { code: 1, message: '' } }, [one]],
    [{ id: 1, result: 1 }, [' must have the member "jsonrpc"']],
    [{ jsonrpc: '2.0', result: 1 }, [' must have the member "id"']],
    [{ jsonrpc: 2, id: 1, result: 1 }, ['/jsonrpc must be "2.0"']],
    [{ jsonrpc: '2.0', id: 1, error: { code: '1', message: 'x' } }, ['/error/code must be a whole number']],
    [{ jsonrpc: '2.0', id: 1, error: { code: 1 } }, ['/error must have the member "message"']],
    [[], [' must be an object']],
    ['ok', [' must be an object']],
  ]
  for (const [answer, wanted] of rows) {
    t.same(shown(own.envelope(answer)), wanted, `with this contract: ${JSON.stringify(answer)}`)
    t.same(shown(plain.envelope(answer)), wanted, `with any contract: ${JSON.stringify(answer)}`)
  }
})

t.test('a contract may narrow the envelope: this one has integer ids', async (t) => {
  const answer = { jsonrpc: '2.0', id: 1.5, result: 1 }
  t.same(shown(own.envelope(answer)), ['/id must be a whole number or text or null'])
  t.same(plain.envelope(answer), [])
})

t.test('an error code is declared by the method or belongs to a general failure', async (t) => {
  t.same(own.error('eth_call', { code: 3, message: 'execution reverted', data: '0x' }), [])
  t.same(own.error('eth_chainId', { code: -32005, message: 'x' }), [], 'a general failure')
  t.match(shown(own.error('eth_chainId', { code: -1, message: 'x' })), [
    /^\/code must be a code that the contract for eth_chainId declares: -32700, /,
  ])
  t.same(own.error(undefined, { code: -32700, message: 'x' }), [])
  t.match(own.error(undefined, { code: -32099, message: 'x' }), [{ path: '/code' }])
})

t.test(
  'a contract with general failures still allows the codes of JSON-RPC that it does not mention',
  async (t) => {
    const failing = (errors: JsonObject) =>
      createChecks(
        contractOf({
          info: { title: 'T', version: '1', 'x-failures': { busy: { error: 'busy', httpStatus: 503 } } },
          methods: [methodOf({})],
          components: { errors: { busy: { code: 100, message: 'Busy' }, ...errors } },
        }),
      )
    const invalid = { code: -32602, message: 'x' }
    t.same(failing({}).error('m', invalid), [])
    t.equal(failing({}).error('m', { code: 101, message: 'x' }).length, 1)
    const spoken = failing({
      invalid: { code: -32602, message: 'Invalid' },
      other: { code: 7, message: 'x' },
    })
    t.equal(spoken.error(undefined, invalid).length, 0, 'an error of the contract')
  },
)

t.test('a contract without general failures allows every server the codes of JSON-RPC', async (t) => {
  const declared = { methods: [methodOf({}, { errors: [{ code: 7, message: 'Seven' }] })] }
  const checks = createChecks(contractOf(declared))
  const right = (code: number, judge = checks) => judge.error('m', { code, message: 'x' }).length === 0
  t.same(
    [7, -32700, -32600, -32601, -32602, -32603].map((code) => right(code)),
    Array(6).fill(true),
  )
  t.same(
    [-32000, -32099, 1].map((code) => right(code)),
    [false, false, false],
  )
  const none = createChecks(contractOf({ methods: [methodOf({})] }))
  t.same(
    [-32000, -32099, -32602].map((code) => right(code, none)),
    [true, true, true],
  )
  t.same(shown(none.error('m', { code: 1, message: 'x' })), ['/code must be a code of JSON-RPC'])
})

t.test(
  'error data matches its schema; in a contract with data schemas, an error without one has no data',
  async (t) => {
    const data = { type: 'object', required: ['until'] }
    const errors = [
      { code: 7, message: 'Seven', 'x-data-schema': data },
      { code: 8, message: 'Eight' },
      { code: 9, message: 'Nine', 'x-data-schema': data, 'x-data-optional': true },
    ]
    const other = methodOf({}, { name: 'other', errors: [{ code: 7, message: 'Seven, too' }] })
    const checks = createChecks(
      contractOf({ methods: [methodOf({}, { errors }), other], 'x-extensions': extensions }),
    )
    const problems = (error: JsonObject) => shown(checks.error('m', { message: 'x', ...error }))
    t.same(problems({ code: 7 }), ['/data is missing: the contract requires data for this error'])
    t.same(problems({ code: 9 }), [], 'optional data')
    t.same(checks.error('other', { code: 7, message: 'x' }), [], 'an error without a data schema')
    t.same(checks.error(undefined, { code: 7, message: 'x' }), [], 'an error of some method')
    t.same(problems({ code: 7, data: { until: 1 } }), [])
    t.same(problems({ code: 9, data: {} }), ['/data must have the member "until"'])
    t.same(problems({ code: 7, data: {} }), ['/data must have the member "until"'])
    t.match(problems({ code: 8, data: 1 }), [/^\/data must be absent/])
    const silent = createChecks(contractOf({ methods: [methodOf({}, { errors: [errors[1] ?? {}] })] }))
    t.same(silent.error('m', { code: 8, message: 'x', data: 1 }), [])
  },
)

t.test('an error has the HTTP statuses of its failure, or 200 when it belongs to a call', async (t) => {
  const statuses = (code: number) => [...(own.errorStatuses(code) ?? [])].sort()
  t.same(statuses(3), [200])
  t.same(statuses(-32602), [200])
  t.same(statuses(-32700), [400])
  t.same(statuses(-32002), [503, 504])
  t.same(statuses(-32005), [200, 409, 429])
  t.same(statuses(12345), [200], 'a code without a failure')
  t.equal(createChecks(contractOf()).errorStatuses(3), undefined, 'no status is stated')
})

t.test('an invalid error object is reported, not thrown', async (t) => {
  for (const error of [null, 'x', 7, [], {}, { code: 'x' }]) {
    t.equal(own.error('eth_chainId', error).length, 1, JSON.stringify(error))
  }
})

t.test('effects and method names come from the contract', async (t) => {
  t.equal(own.effects.get('eth_sendRawTransaction'), 'write')
  t.equal(own.effects.get('eth_chainId'), 'read')
  t.equal(own.methods.size, 26)
  t.equal(createChecks(contractOf({ methods: [methodOf({})] })).effects.size, 0)
})

t.test(
  'a message has the words that programs look for, if all failures with its code state them',
  async (t) => {
    const message = 'the method m does not exist/is not available'
    t.same(own.error(undefined, { code: -32601, message }), [])
    t.same(shown(own.error(undefined, { code: -32601, message: 'the method m does not exist' })), [
      '/message must match ^the method \\S+ does not exist\\/is not available$, which go-ethereum looks for',
    ])
    t.equal(own.error('eth_chainId', { code: -32601, message: 'Method not found' }).length, 2)
    t.same(plain.error(undefined, { code: -32601, message: 'Method not found' }), [])
  },
)
