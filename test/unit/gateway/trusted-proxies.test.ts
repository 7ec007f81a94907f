import t from 'tap'
import { createProxyTrust } from '../../../src/gateway/trusted-proxies.js'

for (const [networks, trusted, others] of [
  [[], [], ['127.0.0.1', '::1', '']],
  [
    ['10.0.0.0/8'],
    ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3'],
    ['9.255.255.255', '11.0.0.0', '::a00:1'],
  ],
  [['192.0.2.1'], ['192.0.2.1', '::ffff:192.0.2.1'], ['192.0.2.0', '192.0.2.2']],
  [
    ['2001:db8::/32', '::1'],
    ['2001:db8:ffff::1', '::1', '0:0::1'],
    ['2001:db9::', '::2', '32.1.13.184'],
  ],
  [['0.0.0.0/0'], ['203.0.113.9'], ['2001:db8::1', 'garbage', '203.0.113.9:80', '1.2.3']],
] as const) {
  t.test(`trusted: ${networks.join(', ') || 'nobody'}`, async (t) => {
    const isTrusted = createProxyTrust(networks)
    for (const address of trusted) t.equal(isTrusted(address), true, address)
    for (const address of others) t.equal(isTrusted(address), false, address)
  })
}
