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
    small.arrived(large - 1)
    const place = small.place()
    if (place instanceof Promise || place instanceof RpcError) throw new TypeError('a small body waits')
    t.equal(small.isLarge, false)
    small.release(place, { status: 200, headers: {}, body: null })
    const share = begin()
    share.arrived(large)
    t.equal(share.isLarge, true)
    const turn = share.turnOfBody()
    t.ok(turn instanceof Promise)
    passed[0]?.(true)
    t.equal(await turn, true)
    share.parsed(2)
    share.worked(3)
    t.ok((worked[0] ?? 0) > 2, 'receiving the body counts, too')
    t.equal(worked[1], 3)
  },
)

t.test('a turn is refused when it comes too late, and not taken after a disconnect', async (t) => {
  const outcomes = [() => false, () => Promise.reject(tooLate), () => true]
  const { begin } = sharesOf({ pass: () => outcomes.shift()?.() ?? true })
  t.equal(await begin().turnOfBody(), false, 'the caller has disconnected')
  t.equal(await begin().turnOfBody(), tooLate)
  t.equal(await begin().turnOfBody(), true)
})
