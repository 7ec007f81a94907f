import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { RpcError } from '../../../../../src/runtime/rpc/index.js'
import { defaultFailures, defaultLimits } from '../../../../../src/runtime/server/index.js'
import { createShared, Share } from '../../../../../src/runtime/server/sharing/share.js'
import type { WorkGate } from '../../../../../src/runtime/server/sharing/work-gate.js'

const newRequest = () => ({ headers: {}, response: new ServerResponse(new IncomingMessage(new Socket())) })
const tooLate = new RpcError({ code: -32005, message: 'too late' })
const memory = { bodyBytes: 1_000_000, queuedBytes: 1_000_000, answerBytes: 1_000_000 }
const large = defaultLimits.smallBodyBytes + 1

/** Shares of one caller with one place, and a gate that the test controls. */
function sharesOf(gate: Partial<WorkGate>) {
  const limits = { ...defaultLimits, requestsAtOncePerUser: 1 }
  const shared = createShared({ caller: String, memory }, limits, defaultFailures)
  const worked: number[] = []
  const own = { ...shared.gate, worked: (time: number) => worked.push(time), ...gate }
  return { worked, begin: () => new Share({ ...shared, gate: own }, 'caller', newRequest()) }
}

t.test(
  'large bodies wait for their turn, small ones do not, and the work of large ones counts',
  async (t) => {
    const passed: ((isHere: boolean) => void)[] = []
    const { begin, worked } = sharesOf({ pass: () => new Promise((resolve) => passed.push(resolve)) })
    const small = begin()
    const place = small.enter(large - 1)
    if (place instanceof Promise || place instanceof RpcError) throw new TypeError('a small body waits')
    t.equal(small.isLarge, false)
    small.release(place, { status: 200, headers: {}, body: null })
    const share = begin()
    let isEntered = false
    const entering = Promise.resolve(share.enter(large)).finally(() => {
      isEntered = true
    })
    await new Promise(setImmediate)
    t.same([share.isLarge, isEntered, passed.length], [true, false, 1])
    passed[0]?.(true)
    t.ok(await entering)
    share.parsed(2)
    share.worked(3)
    t.ok((worked[0] ?? 0) > 2, 'receiving the body counts, too')
    t.equal(worked[1], 3)
  },
)

t.test('a large body that does not get its turn frees its place', async (t) => {
  const outcomes = [() => false, () => Promise.reject(tooLate), () => true]
  const { begin } = sharesOf({ pass: () => outcomes.shift()?.() ?? true })
  t.equal(await begin().enter(large), undefined, 'the caller has disconnected')
  t.equal(await begin().enter(large), tooLate)
  t.notOk((await begin().enter(large)) instanceof RpcError)
})
