/** What the embedded development chain contains, for tests that check answers of the service. */
export {
  seedContractCall,
  seedContractCode,
  seedContractSelectors,
} from '../../src/service/gateway/dev-chain/seed/seed-contract.js'
export {
  blockProducer,
  developmentAccounts,
  seedFacts,
} from '../../src/service/gateway/dev-chain/seed/seed-facts.js'
