import fc from 'fast-check'
import t from 'tap'
import { createProtocolHandler, handlersToCall } from '../../../../src/runtime/server/index.js'
import { wholeText } from '../../../../src/runtime/server/protocol/encode-answer.js'
import { jsonMutations, mutate, utf8 } from '../../../support/mutations.js'
import { runs } from '../../../support/runs.js'
import { createCalculator, methods, ODD_KINDS } from './calculator.js'

const MUTATIONS = runs(20_000)

const seeds = [
  '{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}',
  '{"jsonrpc":"2.0","id":"a\\ud800","method":"later","params":[{"a":[1.5,null]}]}',
  '{"jsonrpc":"2.0","id":12345678901234567890,"method":"label","params":{"text":"x","mark":"!"}}',
  '{"jsonrpc":"2.0","method":"note","params":["x"]}',
  '[{"jsonrpc":"2.0","id":1,"method":"raw","params":["7"]},{"jsonrpc":"2.0","id":-0,"method":"rawBytes","params":["8"]}]',
  '{"jsonrpc":"2.0","id":1e2,"method":"rpc.discover","params":[]}',
  ...ODD_KINDS.map((kind) => `{"jsonrpc":"2.0","id":1,"method":"odd","params":["${kind}"]}`),
].map(utf8)

const mutated = fc
  .tuple(fc.constantFrom(...seeds), fc.array(jsonMutations, { maxLength: 3 }))
  .map(([seed, mutations]) => Buffer.from(mutate(seed, mutations), 'latin1'))

function isResponse(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { jsonrpc, id, result, error } = value as Record<string, unknown>
  const told = error as { code?: unknown; message?: unknown } | undefined
  const hasError = told !== undefined && Number.isInteger(told.code) && typeof told.message === 'string'
  return jsonrpc === '2.0' && id !== undefined && (result !== undefined) !== hasError
}

t.test(`${MUTATIONS} mutated bodies each get a well-formed answer`, async (t) => {
  for (const idRequired of [true, false]) {
    const call = handlersToCall(methods, createCalculator())
    const protocol = createProtocolHandler({
      methods,
      call,
      document: '{}',
      envelope: { idRequired },
      validateResults: true,
    })
    const property = fc.asyncProperty(mutated, async (body) => {
      const answer = await protocol.handle(body, undefined)
      if (answer.body === null) return answer.status === 204 && !idRequired
      const parsed: unknown = JSON.parse(Buffer.from(await wholeText(answer.body)).toString())
      return Array.isArray(parsed) ? parsed.length > 0 && parsed.every(isResponse) : isResponse(parsed)
    })
    await fc.assert(property, { numRuns: MUTATIONS / 2 })
    t.pass(idRequired ? 'ids required' : 'notifications allowed')
  }
})
