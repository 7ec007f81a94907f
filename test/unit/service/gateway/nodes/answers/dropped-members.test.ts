import t from 'tap'
import { DroppedMembers } from '../../../../../../src/service/gateway/nodes/index.js'

t.test('members are counted by their names, and each name is returned once', async (t) => {
  const members = new DroppedMembers()
  t.equal(members.count('Block', 'a'), 'Block.a')
  t.equal(members.count('Block', 'a'), undefined)
  t.equal(members.count('Log', 'a'), 'Log.a')
  t.strictSame(
    [...members.values()],
    [
      { name: 'Block.a', value: 2 },
      { name: 'Log.a', value: 1 },
    ],
  )
})

t.test('the 101st name is counted as other, and a name is at most 64 characters long', async (t) => {
  const members = new DroppedMembers()
  const long = 'x'.repeat(64)
  t.equal(members.count('Block', `${long}y`), `Block.${long}`)
  t.equal(members.count('Block', `${long}z`), undefined, 'the same name')
  for (let at = 1; at < 100; at++) t.equal(members.count('Block', `m${at}`), `Block.m${at}`)
  t.equal(members.count('Log', 'm100'), 'other')
  t.equal(members.count('Log', 'm101'), undefined)
  t.equal(members.count('Block', 'm99'), undefined)
  const counts = [...members.values()]
  t.equal(counts.length, 101)
  t.strictSame(counts.slice(-2), [
    { name: 'Block.m99', value: 2 },
    { name: 'other', value: 2 },
  ])
})
