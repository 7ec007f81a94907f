// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of scenarios
import type { JsonValue } from './chain-function.js'
import type { FunctionName } from './functions.js'

/** A private key that anyone knows. */
const privateKey = `0x${'0'.repeat(63)}1`

/**
 * Example parameters of each function, for the generated list of functions. Variables are captured by the steps
 * at the head of that list.
 */
export const functionExamples: Readonly<Record<FunctionName, readonly JsonValue[]>> = {
  add: ['0x1', 2],
  addressOf: [privateKey],
  bareLog: ['${log}'],
  bloomWith: ['${bloom}', '${logs}'],
  concat: [[1], [2, 3]],
  contractAddress: ['0x7e5f4552091a69125d5dfcb7b8c2659029395bdf', '0x0'],
  firstOfLaterTransaction: ['${logs}'],
  gasBefore: [{ transactions: ['0x1', '0x2'], rskPteEdges: [1] }, '0x1', '0x5208'],
  hashAndSenderOf: ['${transaction}'],
  inOrder: ['${logs}'],
  keccak256: ['0xdeadbeef'],
  lastOfSublists: [{ transactions: ['0x1', '0x2', '0x3'], rskPteEdges: [1] }],
  lengthOf: [['a', 'b']],
  multiply: ['0x10', '0x2'],
  numbered: [[{ name: 'a' }, { name: 'b' }], 'index'],
  numbersDownFrom: ['0x2', 4],
  pluck: [[{ hash: '0x1' }, { hash: '0x2' }], 'hash'],
  privateKeyOf: ['any text'],
  quantity: [31],
  repeat: ['0x0', 3],
  secondsOf: ['Thu, 01 Jan 1970 00:00:10 GMT', 5],
  signTransaction: [
    { privateKey, chainId: 31, nonce: '0x0', gasPrice: '0x1', gas: '0x5208', to: privateKey.slice(0, 42) },
  ],
  subtract: ['0x10', '0x1'],
  sumOnce: [
    [
      { hash: '0x1', gas: '0x5' },
      { hash: '0x1', gas: '0x5' },
      { hash: '0x2', gas: '0x6' },
    ],
    'hash',
    'gas',
  ],
  upperCase: ['0xbeef'],
  where: [[{ from: 'a' }, { from: 'b' }], 'from', 'b'],
}
