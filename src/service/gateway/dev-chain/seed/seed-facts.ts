/** Gas price of the seeded transactions, which is also the minimum of the chain, in wei. */
export const minimumGasPrice = 60_000_000n

/** Balance of each development account in the first block, in wei. */
export const initialBalance = 10_000n * 10n ** 18n

/**
 * The funded development accounts of anvil and most other development chains. Their private keys are public, so they
 * must not be used on other chains. Seeding uses the first three.
 */
export const developmentAccounts = [
  {
    address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  },
  {
    address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    privateKey: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  },
  {
    address: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
    privateKey: '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  },
  {
    address: '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
    privateKey: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  },
  {
    address: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
    privateKey: '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  },
  {
    address: '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
    privateKey: '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  },
  {
    address: '0x976ea74026e726554db657fa54763abd0c3a0aa9',
    privateKey: '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  },
  {
    address: '0x14dc79964da2c08b23698b3d3cc7ca32193d9955',
    privateKey: '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
  },
  {
    address: '0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f',
    privateKey: '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
  },
  {
    address: '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
    privateKey: '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
  },
] as const

/**
 * The account that sends the transactions of the latest blocks, including those of a moving head. It is not one of the
 * development accounts, so that their nonces do not change. anvil has its key.
 */
export const blockProducer = { address: '0xbcd4042de499d14e55001ccbb24a551f3b954096' } as const

/** Contents of a newly seeded chain. They are the same at every start and, except hashes, on every network. */
export const seedFacts = {
  /** The latest block, with one transaction; it holds five logs, one with each number of topics. */
  head: 2431,
  /** A contract creation with a value, its only transaction. */
  creationBlock: 2427,
  /** A transfer with a value above 2^53 wei, its only transaction. */
  transferBlock: 2428,
  /** Receives it. */
  valuesTo: '0x00000000000000000000000000000000c0ffee02',
  /** 60 transactions with one log each. */
  manyTransactionsBlock: 2429,
  /** Two transactions with a value and a log, whose data has 96 and 100 bytes. */
  longDataBlock: 2430,
  /** Logs of the blocks from `creationBlock` to the latest. */
  recentLogs: 67,
  /** The blocks before this one hold no transaction. */
  firstTransactionBlock: 2341,
  /** Creates the seed contract (seed-contract.sol), its only transaction. */
  contractBlock: 2341,
  contract: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
  /** Three transfers of 1 to 3 ether, from the first three accounts. */
  transfersBlock: 2342,
  /** Receives them, and is used nowhere else. */
  transfersTo: '0x00000000000000000000000000000000c0ffee01',
  /** Its first transaction failed (status 0x0), its second is a transfer. */
  failedTransactionBlock: 2343,
  /** Sets the contract's number, which was 42, to 7. */
  numberSetBlock: 2344,
  /** One transaction, five logs with 0 to 4 topics. */
  fiveLogsBlock: 2345,
  /** Two transactions with three logs each. */
  twoTransactionsWithLogsBlock: 2346,
  /** From the first block to this one, and on to the one before `pastTenThousandBlock`, there are 10,000 logs exactly. */
  tenThousandLogsBlock: 2370,
  /** Holds the 10,001st log. */
  pastTenThousandBlock: 2391,
  /** All the logs. */
  logs: 10_203,
  /** An account without code, balance or transactions. */
  emptyAccount: '0x00000000000000000000000000000000deadbea7',
} as const
