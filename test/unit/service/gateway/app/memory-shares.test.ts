import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { divideMemory } from '../../../../../src/service/gateway/app/memory-shares.js'
import { poolSettings } from '../../../../../src/service/gateway/nodes/index.js'

const mebibyte = 1_048_576
/** `--max-old-space-size=256`, with the space of young objects. */
const smallHeap = 304 * mebibyte

t.test('the shares are the whole budget, and grow with the heap', async (t) => {
  const [small, large] = [divideMemory(25, smallHeap), divideMemory(25, 2 * smallHeap)]
  const sum = Object.values(small).reduce((total, bytes) => total + bytes, 0)
  t.equal(Math.round(sum / mebibyte), 76)
  for (const [name, bytes] of Object.entries(small))
    t.equal(Math.floor(large[name as keyof typeof large] / 2), bytes, name)
})

t.test('the largest request of the contract fits into a small heap', async (t) => {
  const { bodyBytes, queuedBytes, nodeAnswerBytes, answerBytes } = divideMemory(25, smallHeap)
  t.ok(bodyBytes >= limits.bodyBytes)
  t.ok(queuedBytes >= limits.bodyBytes)
  t.ok(nodeAnswerBytes >= poolSettings.answerBytes)
  t.ok(answerBytes >= limits.logsHeldBytes)
})

t.test('a heap that is too small for it is an error that says how large it must be', async (t) => {
  t.throws(() => divideMemory(25, 128 * mebibyte), {
    code: 'heap_too_small',
    message: /^the heap of 128 MiB .*must have 171 MiB.*--max-old-space-size=171/,
  })
  t.ok(divideMemory(25, 171 * mebibyte))
  t.throws(() => divideMemory(10, smallHeap), { code: 'heap_too_small' })
})
