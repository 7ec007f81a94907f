import t from 'tap'
import { createLineReader } from '../../../../../../src/service/gateway/app/control/control-protocol.js'

for (const [chunks, lines, pending] of [
  [['a\n'], ['a'], 0],
  [['a', 'b\nc'], ['ab'], 1],
  [['a\nb\n\n'], ['a', 'b', ''], 0],
  [['', '\n'], [''], 0],
  [['ä', '…\n'], ['ä…'], 0],
] as const) {
  t.test(`${JSON.stringify(chunks)} contains ${lines.length} lines`, async (t) => {
    const read: string[] = []
    const reader = createLineReader((line) => read.push(line))
    for (const chunk of chunks) reader.push(chunk)
    t.same(read, lines)
    t.equal(reader.pending(), pending)
  })
}
