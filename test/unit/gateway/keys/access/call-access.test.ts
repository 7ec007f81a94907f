import t from 'tap'
import { methods } from '../../../../../generated/methods.js'
import { requireCallAllowed } from '../../../../../src/gateway/keys/access/call-access.js'

const listed = `0x${'ab'.repeat(20)}`
const other = `0x${'cd'.repeat(20)}`
const refused = { code: -32016 }

t.test('a contract allow-list refuses unknown methods', async (t) => {
  t.throws(() => requireCallAllowed({ contracts: [listed] }, 'eth_newMethod', [listed]), refused)
  t.doesNotThrow(() => requireCallAllowed({}, 'eth_newMethod', [listed]), 'a key without a list')
})

t.test(
  'with a contract allow-list, a method with contracts is refused when its call names none',
  async (t) => {
    for (const { name, extensions } of Object.values(methods)) {
      const call = () => requireCallAllowed({ contracts: [listed] }, name, [])
      if (extensions['x-contract-addresses'].length > 0) t.throws(call, refused, name)
      else t.doesNotThrow(call, name)
    }
  },
)

t.test('every address of a call must be on the list', async (t) => {
  const rows = [
    [['eth_call', [{ to: listed }]], true],
    [['eth_call', [{ to: other }]], false],
    [['eth_getLogs', [{ address: [listed, listed] }]], true],
    [['eth_getLogs', [{ address: [listed, other] }]], false],
    [['eth_getLogs', [{ address: [listed, null] }]], false],
    [['eth_getLogs', [{ address: [] }]], false],
    [['eth_getBalance', [listed.toUpperCase()]], true],
    [['eth_getTransactionCount', [other]], true],
  ] as const
  for (const [[method, params], isAllowed] of rows) {
    const call = () => requireCallAllowed({ contracts: [listed] }, method, params)
    if (isAllowed) t.doesNotThrow(call, `${method} ${JSON.stringify(params)}`)
    else t.throws(call, refused, `${method} ${JSON.stringify(params)}`)
  }
})

t.test('a method allow-list hides other methods', async (t) => {
  t.throws(() => requireCallAllowed({ methods: ['eth_call'] }, 'eth_chainId', []), { code: -32601 })
  t.doesNotThrow(() => requireCallAllowed({ methods: ['eth_call'] }, 'eth_call', [{ to: other }]))
})
