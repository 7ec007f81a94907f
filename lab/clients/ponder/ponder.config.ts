import { createConfig } from 'ponder'
import { counterAbi } from './abi'

export default createConfig({
  database: { kind: 'pglite' },
  chains: { rootstock: { id: 31, rpc: process.env.RPC_URL, pollingInterval: 500 } },
  contracts: {
    Counter: {
      chain: 'rootstock',
      abi: counterAbi,
      address: process.env.COUNTER as `0x${string}`,
      startBlock: 1,
    },
  },
})
