import t from 'tap'
import {
  createConnectionCounts,
  newConnectionSeconds,
} from '../../../../../src/runtime/server/http/connection-counts.js'

t.test('an address has a bounded number of open connections', (t) => {
  const { open } = createConnectionCounts({ connectionsPerAddress: 2, newConnectionsPerAddress: 100 })
  const [first, second] = [open('a'), open('a')]
  t.ok(first && second)
  t.equal(open('a'), undefined, 'a third one')
  t.ok(open('b'), 'of another address')
  first?.()
  t.ok(open('a'), 'after one has closed')
  t.equal(open('a'), undefined)
  t.end()
})

t.test('an address opens a bounded number of connections in a time, refused ones included', (t) => {
  let now = 0
  const limits = { connectionsPerAddress: 10, newConnectionsPerAddress: 3 }
  const { open } = createConnectionCounts(limits, () => now)
  const kept = open('a')
  for (let at = 0; at < 2; at++) open('a')?.()
  t.equal(open('a'), undefined)
  t.ok(open('b'), 'of another address')
  now += newConnectionSeconds * 1_000 - 1
  t.equal(open('a'), undefined)
  now += 1
  for (let at = 0; at < 3; at++) t.ok(open('a'), 'in the next time')
  t.equal(open('a'), undefined)
  kept?.()
  t.end()
})

t.test('open connections are counted over many addresses', (t) => {
  const { open } = createConnectionCounts({ connectionsPerAddress: 1, newConnectionsPerAddress: 10 })
  open('kept')
  for (let at = 0; at < 150_000; at++) open(`${at}`)?.()
  t.equal(open('kept'), undefined)
  t.end()
})

t.test('connections from many addresses reset the count of no recent address', (t) => {
  const limits = { connectionsPerAddress: 10, newConnectionsPerAddress: 2 }
  const { open } = createConnectionCounts(limits, () => 0)
  for (let at = 0; at < 60_000; at++) open(`earlier ${at}`)?.()
  for (let at = 0; at < 2; at++) open('a')?.()
  t.equal(open('a'), undefined)
  for (let at = 0; at < 60_000; at++) open(`later ${at}`)?.()
  t.equal(open('a'), undefined, 'while the oldest addresses are dropped')
  t.end()
})
