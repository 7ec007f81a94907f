/** Value at storage position 0 of the echo contract, with 32 distinct bytes. */
const storedWord = '123456789abcdef0fedcba98765432100123456789abcdef0fedcba987654321'

/** Emits a log with the call data and the sender as its only topic, and returns the call data. */
const runtimeCode = [
  '365f5f37', // CALLDATACOPY of all call data to memory position 0
  '33365fa1', // LOG1: data is the memory, the topic is CALLER
  '365ff3', // RETURN the memory
].join('')

/** Creation code of a hand-written contract that returns and logs its call data. */
export const echoContractCode = [
  '0x',
  `7f${storedWord}5f55`, // SSTORE at position 0
  `600b80602c5f395ff3`, // CODECOPY of the 11 bytes behind these 44, and RETURN of them
  runtimeCode,
].join('')
