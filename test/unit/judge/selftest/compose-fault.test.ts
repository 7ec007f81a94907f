import t from 'tap'
import type { Fault, FaultHooks, Forward } from '../../../../src/judge/index.js'
import {
  type ComposedOutcome,
  composedLines,
  composedOutcomeLine,
  composeFaults,
  isComposedProven,
} from '../../../../src/judge/index.js'
import { applyFault } from '../../../../src/judge/selftest/apply-fault.js'
import { composeFault } from '../../../../src/judge/selftest/composed/compose-fault.js'
import { conditions } from '../../../../src/judge/selftest/composed/conditions.js'
import { isObject, onParams, onResult } from '../../../../src/judge/selftest/index.js'

const faultWith = (begin: () => FaultHooks): Fault => ({
  name: 'wrong',
  rule: 'some.rule',
  description: 'The result is wrong.',
  begin,
})
const wrongResult = faultWith(() => onResult(['a'], () => 'wrong'))

/** Answers each call with its first parameter. */
const echo: Forward = async ({ body }) => {
  const message = JSON.parse(Buffer.from(body).toString())
  const answerTo = ({ id, params }: { id: number; params: readonly unknown[] }) => ({
    jsonrpc: '2.0',
    id,
    result: params[0],
  })
  const text = JSON.stringify(Array.isArray(message) ? message.map(answerTo) : answerTo(message))
  return { status: 200, reason: 'OK', headers: [], body: Buffer.from(text) }
}

const call = (param: unknown, id = 1) => ({ jsonrpc: '2.0', id, method: 'a', params: [param] })

/** Sends requests through a fault under a condition, and returns the results. */
async function through(
  fault: Fault,
  condition: string,
  sent: readonly unknown[],
  paths: readonly string[] = [],
) {
  const found = conditions.find(({ name }) => name === condition)
  const composed = found && composeFault(fault, found)
  if (composed === undefined) throw new TypeError(`${condition} does not fit`)
  const hooks = composed.begin()
  const results: unknown[] = []
  let changes = 0
  for (const [at, message] of sent.entries()) {
    const body = Buffer.from(JSON.stringify(message))
    const path = paths[at] ?? '/key'
    const request = { verb: 'POST', path, headers: [], body, firstPiece: body }
    const { reply, isChanged } = await applyFault(hooks, request, echo)
    if (isChanged) changes++
    const answer = JSON.parse(Buffer.from(reply.body).toString())
    results.push(Array.isArray(answer) ? answer.map(({ result }) => result) : answer.result)
  }
  return { results, changes }
}

const right = 'right'

for (const [condition, sent, results] of [
  ['later-in-batch', [call(right), [call(right), call(right, 2)]], [right, [right, 'wrong']]],
  ['not-at-first', [call(right), call(right)], [right, 'wrong']],
  ['larger', [call(right), call(right.repeat(9)), call(right)], [right, 'wrong', right]],
  ['now-and-then', [1, 2, 3, 4].map(() => call(right)), [right, right, 'wrong', right]],
] as const) {
  t.test(`a fault shows only ${condition}`, async (t) => {
    const shown = await through(wrongResult, condition, sent)
    t.same(shown, { results, changes: 1 })
  })
}

t.test('a fault shows only for another key', async (t) => {
  const sent = [call(right), call(right), call(right)]
  const { results } = await through(wrongResult, 'other-key', sent, ['/one', '/other', '/one'])
  t.same(results, [right, 'wrong', right])
})

t.test('a fault that depends on the time shows at some times', async (t) => {
  const shown = new Set<unknown>()
  const { exchange } = conditions.find(({ name }) => name === 'at-times')?.begin() ?? {}
  const request = { verb: 'POST', path: '/', headers: [], body: Buffer.alloc(0), firstPiece: Buffer.alloc(0) }
  while (shown.size < 2) {
    shown.add(exchange?.(request))
    await new Promise(setImmediate)
  }
  t.same(shown, new Set([true, false]))
})

t.test('a fault hides the data that would show it', async (t) => {
  const without = (change: (entry: unknown) => unknown) =>
    faultWith(() =>
      onResult(['a'], (result) => {
        if (Array.isArray(result)) return result.map(change) as never
        return isObject(result) ? ({ ...result, list: (result['list'] as []).map(change) } as never) : result
      }),
    )
  const zeroForTwo = without((entry) => (entry === 2 ? 0 : entry))
  const { results } = await through(zeroForTwo, 'hidden', [
    call([1, 2, 3]),
    call({ list: [1, 2], other: 7 }),
    call([1, 3]),
    call('text'),
  ])
  t.same(results, [[1, 3], { list: [1], other: 7 }, [1, 3], 'text'])
  const object = faultWith(() =>
    onResult(['a'], (result) => (isObject(result) ? { ...result, more: 1 } : result)),
  )
  t.same(
    (await through(object, 'hidden', [call({ list: [] })])).results,
    [null],
    'a changed object is missing',
  )
})

t.test('a changed request counts, and is sent once', async (t) => {
  const changed = faultWith(() => onParams(['a'], () => ['wrong']))
  const { results, changes } = await through(changed, 'not-at-first', [call(right), call(right)])
  t.same({ results, changes }, { results: [right, 'wrong'], changes: 1 })
})

t.test('conditions fit only faults that they can restrict', (t) => {
  const header = faultWith(() => ({ reply: (reply) => reply }))
  const names = (fault: Fault) => composeFaults([fault], undefined).map(({ condition }) => condition)
  t.same(
    names(wrongResult),
    conditions.map(({ name }) => name),
  )
  t.notOk(names(header).some((name) => name === 'later-in-batch' || name === 'hidden'))
  const seeds = conditions.map((_, seed) =>
    composeFaults([wrongResult], seed).map(({ condition }) => condition),
  )
  t.same(new Set(seeds.flat()), new Set(names(wrongResult)), 'the seed chooses the condition')
  t.end()
})

t.test('a missed fault fails the selftest, one that was never exercised does not', (t) => {
  const outcome = (verdict: ComposedOutcome['verdict'], changes: number): ComposedOutcome => ({
    ...{ name: 'wrong+larger', of: 'wrong', condition: 'larger', rule: 'some.rule' },
    ...{ description: 'The result is wrong. Only there.', verdict, changes, by: 'a/case' },
  })
  const report = (...faults: readonly ComposedOutcome[]) => ({
    schema: 'concordat-selftest-composed-report/1' as const,
    ...{ milliseconds: 1000, faults, broken: [] },
  })
  const [caught, missed, never] = [outcome('caught', 1), outcome('missed', 2), outcome('never-exercised', 0)]
  t.equal(isComposedProven(report(caught, never)), true)
  t.equal(isComposedProven(report(caught, missed)), false)
  t.equal(isComposedProven({ ...report(caught), broken: [{ id: 'a/case', reason: 'step 1' }] }), false)
  t.equal(composedOutcomeLine(caught), '  caught    wrong+larger  by a/case')
  t.match(
    composedOutcomeLine(missed),
    /MISSED {4}wrong\+larger {2}\(rule some.rule\), in 2 exchanges\n.*Only there/,
  )
  t.equal(composedOutcomeLine(never), '  unreached wrong+larger  (rule some.rule)')
  const lines = composedLines(report(caught, missed, never)).join('\n')
  for (const row of ['larger', 'some', 'all'])
    t.match(lines, new RegExp(`${row} +3 +1 +1 +1 +50\\.0 % +33\\.3 %`))
  t.end()
})
