import t from 'tap'
import { errors, methodErrors } from '../../../../generated/errors.js'
import { methods } from '../../../../generated/methods.js'
import { type MethodDescriptor, RpcError } from '../../../../src/runtime/rpc/index.js'
import { createProtocolHandler, type ErrorReport } from '../../../../src/runtime/server/index.js'

/** Calls a method whose handler throws an error. Returns the answered code and the reported errors. */
async function thrown(method: MethodDescriptor, error: RpcError, validateResults = true) {
  const reports: ErrorReport<unknown>[] = []
  const protocol = createProtocolHandler<unknown>({
    methods: { [method.name]: { ...method, validateParams: () => [] } },
    call: () => Promise.reject(error),
    validateResults,
    onError: (report) => void reports.push(report),
  })
  const answer = await protocol.handle(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: method.name, params: [] }),
    undefined,
  )
  const { code, data } = JSON.parse(String(answer.body)).error
  return { code, data, reports }
}

const { eth_call, eth_chainId } = methods
const { errors: _, ...unstated } = eth_chainId
const { service: __, ...withoutTable } = unstated
const error = (code: number, data?: string) => new RpcError({ code, message: 'm', data })

t.test('errors that a method declares reach the caller', async (t) => {
  const rows: readonly [string, MethodDescriptor, RpcError][] = [
    ['declared, with data', eth_call, methodErrors.eth_call.executionReverted({ data: '0x' })],
    ['declared, without data', eth_call, methodErrors.eth_call.blockNotFound()],
    ['invalid params with optional data', eth_call, error(-32602)],
    ['an internal error', withoutTable, error(-32603)],
    ['no declared errors: any error of the contract', unstated, error(3, '0x')],
    ['no errors in the contract: any error', withoutTable, error(7, 'x')],
    ['an empty list: invalid params', { ...withoutTable, errors: [] }, error(-32602)],
  ]
  for (const [name, method, cause] of rows) {
    t.match(await thrown(method, cause), { code: cause.code, reports: [] }, name)
  }
})

t.test('other errors are reported and answered as a failed handler', async (t) => {
  const rows: readonly [string, MethodDescriptor, RpcError, string, string][] = [
    ['not declared', eth_chainId, error(3, '0x'), '/code', 'errors'],
    ['not in the contract', unstated, error(7), '/code', 'errors'],
    ['an empty list', { ...withoutTable, errors: [] }, error(7), '/code', 'errors'],
    ['data missing', eth_call, error(3), '/data', 'required'],
    ['data that violates its schema', eth_call, error(3, 'revert'), '/data', 'pattern'],
    ['optional data that violates its schema', eth_call, error(-32602, 'x'), '/data', 'anyOf'],
    ['data for an error without a schema', eth_call, error(-32001, 'x'), '/data', 'false'],
  ]
  for (const [name, method, cause, path, rule] of rows) {
    const { code, data, reports } = await thrown(method, cause)
    t.equal(code, -32603, name)
    t.match(reports, [{ kind: 'errorInvalid', method: method.name, cause, reference: data.reference }], name)
    t.match(reports[0]?.problems, [{ path, rule }], name)
    t.match(await thrown(method, cause, false), { code: cause.code, reports: [] }, `${name}, unchecked`)
  }
})

t.test('types refuse undeclared errors, and missing or invalid data', async (t) => {
  // Each line is compiled by the static check, which fails where the compiler accepts it.
  // @ts-expect-error eth_chainId does not declare it
  t.equal(methodErrors.eth_chainId.executionReverted, undefined)
  // @ts-expect-error the data is required
  t.throws(() => errors.executionReverted())
  // @ts-expect-error the data is a text
  t.ok(errors.executionReverted({ data: 5 }))
  t.ok(methodErrors.eth_chainId.invalidParams())
})
