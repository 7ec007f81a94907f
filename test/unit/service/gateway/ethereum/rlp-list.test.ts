import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import t from 'tap'
import { rlpList } from '../../../../../src/service/gateway/ethereum/index.js'
import { runs } from '../../../../support/runs.js'

const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'))

/** A list that contains only a list, and so on, to this depth. */
function nested(levels: number): Uint8Array {
  const headers: Uint8Array[] = []
  let length = 0
  for (let level = 0; level < levels; level++) {
    const header = listHeader(length)
    headers.push(header)
    length += header.length
  }
  return Buffer.concat(headers.reverse())
}

function listHeader(length: number): Uint8Array {
  if (length < 56) return Uint8Array.of(0xc0 + length)
  const digits = length.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return Buffer.concat([Uint8Array.of(0xf7 + bytes.length), bytes])
}

t.test('a list nested 30,000 levels deep is one member of its outer list', async (t) => {
  const inner = nested(30_000)
  const bytes = Uint8Array.from([...listHeader(inner.length + 1), ...inner, 0x07])
  t.strictSame(rlpList(bytes), [undefined, Uint8Array.of(0x07)])
})

t.test('members are views of the bytes, not copies', async (t) => {
  const bytes = RLP.encode([new Uint8Array(100).fill(9), 'text'])
  for (const member of rlpList(bytes) ?? []) t.equal(member?.buffer, bytes.buffer)
})

t.test('a list has at most 32 members', async (t) => {
  t.equal(rlpList(RLP.encode(Array(32).fill('')))?.length, 32)
  t.equal(rlpList(RLP.encode(Array(33).fill(''))), undefined)
})

t.test('bytes that are not a canonical list are refused', async (t) => {
  const rows = {
    nothing: '',
    'a string': '83616263',
    'a byte': '07',
    'a list that ends early': 'c301',
    'a byte after the list': 'c0c0',
    'a member that ends after the list': 'c28261',
    'a long member that ends after the list': 'c3b83861',
    'a length without its bytes': 'f9',
    'a member whose length is cut off': 'c1b9',
    'a member whose length is longer than the list': 'c9bfffffffffffffffff',
    'a prefix before a byte that needs none': 'c28101',
    'a short list with a long header': 'f801c0',
    'a short string with a long header': 'c3b80161',
    'a length with a leading zero': `f90038${'01'.repeat(56)}`,
    'a string whose length has a leading zero': `f83bb90038${'01'.repeat(56)}`,
  }
  for (const [name, text] of Object.entries(rows)) t.equal(rlpList(hex(text)), undefined, name)
})

const item = fc.letrec<{ item: unknown }>((tie) => ({
  item: fc.oneof({ maxDepth: 4 }, fc.uint8Array({ maxLength: 80 }), fc.array(tie('item'), { maxLength: 6 })),
})).item

t.test('members equal those of another decoder', async (t) => {
  const property = fc.property(fc.array(item, { maxLength: 32 }), (list) => {
    const bytes = RLP.encode(list as Parameters<typeof RLP.encode>[0])
    const members = rlpList(bytes)
    t.strictSame(
      members,
      list.map((member) => (Array.isArray(member) ? undefined : member)),
    )
  })
  fc.assert(property, { numRuns: runs(200) })
})

t.test('bytes that another decoder refuses are refused, or differ inside a nested list', async (t) => {
  const changed = fc.tuple(fc.array(item, { maxLength: 4 }), fc.nat(), fc.integer({ min: 0, max: 255 }))
  const property = fc.property(changed, ([list, at, byte]) => {
    const bytes = RLP.encode(list as Parameters<typeof RLP.encode>[0])
    bytes[at % bytes.length] = byte
    const members = rlpList(bytes)
    const decoded = decode(bytes)
    if (Array.isArray(decoded)) {
      t.strictSame(
        members,
        decoded.map((member) => (Array.isArray(member) ? undefined : member)),
      )
    } else if (members !== undefined) t.ok(members.includes(undefined))
  })
  fc.assert(property, { numRuns: runs(2_000) })
})

function decode(bytes: Uint8Array): unknown {
  try {
    return RLP.decode(bytes)
  } catch {
    return undefined
  }
}
