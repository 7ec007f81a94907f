import fc from 'fast-check'
import t from 'tap'
import { ByteQueue } from '../../../../../../src/service/gateway/methods/logs/byte-queue.js'
import { runs } from '../../../../../support/runs.js'

/** Distinct bytes, so that no byte can replace another one unnoticed. */
const bytesOf = (length: number, seed: number) =>
  Uint8Array.from({ length }, (_, index) => (index * 7 + seed) % 251)

t.test('bytes leave in their order, also when the buffer is reused', async (t) => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant('append' as const),
      size: fc.constantFrom(0, 1, 700, 4_096, 65_536, 200_000),
    }),
    fc.record({ do: fc.constant('truncate' as const), size: fc.nat(300_000) }),
    fc.record({ do: fc.constant('take' as const), size: fc.constant(0) }),
  )
  const property = fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
    const queue = new ByteQueue()
    let wanted = Buffer.alloc(0)
    let taken: Buffer | undefined
    for (const [index, { do: what, size }] of steps.entries()) {
      if (what === 'append') {
        const bytes = bytesOf(size, index)
        queue.append(bytes)
        wanted = Buffer.concat([wanted, bytes])
      } else if (what === 'truncate') {
        queue.truncate(size)
        wanted = wanted.subarray(0, size)
      } else {
        if (taken !== undefined) queue.reuse(taken)
        taken = queue.take()
        const piece = taken ?? Buffer.alloc(0)
        if (!piece.equals(wanted.subarray(0, piece.length)) || (wanted.length > 0 && piece.length === 0))
          return false
        wanted = wanted.subarray(piece.length)
      }
      if (queue.size !== wanted.length || !queue.from(0).equals(wanted)) return false
    }
    return queue.from(Math.floor(wanted.length / 2)).equals(wanted.subarray(Math.floor(wanted.length / 2)))
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: runs(400) }))
})
