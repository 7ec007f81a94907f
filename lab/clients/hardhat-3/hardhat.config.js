import { fileURLToPath } from 'node:url'
import hardhatEthers from '@nomicfoundation/hardhat-ethers'
import { defineConfig } from 'hardhat/config'

export default defineConfig({
  plugins: [hardhatEthers],
  // The compiler comes from npm, so that none is downloaded.
  solidity: {
    version: '0.8.37',
    path: fileURLToPath(import.meta.resolve('solc/soljson.js')),
    settings: { optimizer: { enabled: true } },
  },
  networks: {
    service: { type: 'http', url: process.env.RPC_URL, accounts: [process.env.PRIVATE_KEY] },
    spent: { type: 'http', url: process.env.SPENT_URL },
  },
})
