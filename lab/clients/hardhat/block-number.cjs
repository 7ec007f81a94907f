const { ethers } = require('hardhat')

ethers.provider.getBlockNumber().then(console.log, (error) => console.log(`refused: ${error.message}`))
