require('@nomicfoundation/hardhat-chai-matchers')
require('@nomicfoundation/hardhat-ignition-ethers')
require('hardhat-deploy')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')
const { subtask } = require('hardhat/config')

// The compiler comes from npm, so that none is downloaded.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async ({ solcVersion }) => ({
  compilerPath: require.resolve('solc/soljson.js'),
  isSolcJs: true,
  version: solcVersion,
  longVersion: require('solc').version(),
}))

module.exports = {
  namedAccounts: { deployer: 0 },
  solidity: { version: '0.8.37', settings: { optimizer: { enabled: true } } },
  networks: {
    service: { url: process.env.RPC_URL, accounts: [process.env.PRIVATE_KEY] },
    spent: { url: process.env.SPENT_URL },
  },
}
