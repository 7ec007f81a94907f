export { openDevelopmentChain } from './development-chain.js'
export { keptStates } from './embedded-chain.js'
export { EmbeddedChainError } from './embedded-chain-error.js'
export { developmentAccounts, seedFacts } from './seed/seed-facts.js'
