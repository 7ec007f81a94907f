import t from 'tap'
import { type MethodDescriptor, Peer } from '../../../../src/runtime/rpc/index.js'

const note: MethodDescriptor = {
  name: 'note',
  params: [],
  paramStructure: 'either',
  notification: true,
  extensions: {},
  validateParams: () => [],
  validateResult: () => [],
}

t.test('a notification cannot be requested, because it is never answered', async (t) => {
  const sent: string[] = []
  const peer = new Peer([note], async (text) => void sent.push(text))
  await t.rejects(peer.request('note', {}), { name: 'TypeError', message: /"note" is a notification/ })
  t.notOk(peer.isWaiting)
  await peer.notify('note', {})
  t.same(sent, ['{"jsonrpc":"2.0","method":"note","params":{}}'])
})
