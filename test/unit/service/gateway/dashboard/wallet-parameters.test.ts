import t from 'tap'
import { walletParameters } from '../../../../../src/service/gateway/dashboard/networks/wallet-parameters.js'

const url = 'https://rpc.example.com/key'

t.test('a network has the parameters of EIP-3085', async (t) => {
  t.same(walletParameters('Nodes', { title: 'Main network', chainId: '0x1e' }, url), {
    chainId: '0x1e',
    chainName: 'Nodes, main network',
    rpcUrls: [url],
    nativeCurrency: { name: 'Smart Bitcoin', symbol: 'RBTC', decimals: 18 },
  })
})

t.test('a chain with an unknown currency gets a neutral currency name', async (t) => {
  t.same(walletParameters('Nodes', { title: 'Other network', chainId: '0x539' }, url), {
    chainId: '0x539',
    chainName: 'Nodes, other network',
    rpcUrls: [url],
    nativeCurrency: { name: 'Native currency', symbol: 'NATIVE', decimals: 18 },
  })
})
