import t from 'tap'
import { createRedact } from '../../../../../src/service/gateway/nodes/node-secrets.js'

t.test('addresses and credentials are found by value, encoded and decoded', async (t) => {
  const url = 'https://us%65r:p%40ss-word@node.example.net:8443/v2/KEY%2D123?token=QUERY%20TOKEN#x'
  const redact = createRedact(url, { authorization: 'Bearer HEADER-TOKEN', 'x-key': 'OTHER' })
  for (const secret of [
    url,
    'https://node.example.net:8443',
    'node.example.net',
    'p%40ss-word',
    'p@ss-word',
    'KEY%2D123',
    'KEY-123',
    '/v2/KEY-123',
    'token=QUERY%20TOKEN',
    'QUERY TOKEN',
    'us%65r',
    'HEADER-TOKEN',
    'OTHER',
    Buffer.from('user:p@ss-word').toString('base64'),
  ]) {
    t.equal(redact(`before ${secret} after`), 'before ••• after', secret)
  }
  t.equal(redact('connect ECONNREFUSED node.example.net:8443'), 'connect ECONNREFUSED •••')
  t.equal(redact('execution reverted'), 'execution reverted')
  const nested = createRedact('http://node:node-secret@h:1/', {})
  t.equal(nested('node-secret'), '•••', 'a secret that begins with another one')
})

t.test('undecodable texts and texts too short for a secret are left unchanged', async (t) => {
  const redact = createRedact('http://a:b%zz@[::1]:8545/', {})
  t.equal(redact('listen [::1]:8545'), 'listen •••')
  t.equal(redact('a or b'), 'a or b')
})
