import t from 'tap'
import { revertError, revertOf } from '../../../../../src/service/gateway/methods/revert.js'
import type { NodeError } from '../../../../../src/service/gateway/nodes/index.js'

const word = (value: number) => value.toString(16).padStart(64, '0')
const text = (words: string) => Buffer.from(words).toString('hex')
const late = `0x08c379a0${word(32)}${word(4)}${text('late').padEnd(64, '0')}`
const panic = `0x4e487b71${word(0x11)}`
const own = `0xc246547f${word(7)}`

const reverts: readonly [node: string, error: NodeError, message: string, data: string][] = [
  [
    'anvil, Error(string)',
    { code: 3, message: 'execution reverted: late', data: late },
    'execution reverted: late',
    late,
  ],
  ['anvil, no bytes', { code: 3, message: 'execution reverted', data: '0x' }, 'execution reverted', '0x'],
  [
    'anvil, an error of the contract: its wording with raw bytes is omitted',
    { code: 3, message: 'execution reverted: custom error 0xc246547f: \u0007', data: own },
    'execution reverted',
    own,
  ],
  [
    'anvil, Panic',
    { code: 3, message: 'execution reverted', data: panic },
    'execution reverted: panic code 0x11',
    panic,
  ],
  [
    'Hardhat: bytes inside data',
    { code: -32603, message: 'Error: VM Exception', data: { message: 'reverted', data: late } },
    'execution reverted: late',
    late,
  ],
  [
    'Rootstock with a reason',
    { code: -32015, message: 'VM Exception while processing transaction: revert late', data: late },
    'execution reverted: late',
    late,
  ],
  [
    'Rootstock without a reason',
    { code: -32015, message: 'VM Exception while processing transaction: transaction reverted', data: '0x' },
    'execution reverted',
    '0x',
  ],
  [
    'words alone',
    { code: -32000, message: "execution reverted with reason string 'too late'" },
    'execution reverted: too late',
    '0x',
  ],
  [
    'bytes after a word',
    { code: -32015, message: 'VM', data: `Reverted ${late}` },
    'execution reverted: late',
    late,
  ],
  [
    'upper case',
    { code: 3, message: '', data: late.toUpperCase().replace('0X', '0x') },
    'execution reverted: late',
    late,
  ],
  [
    'a text shorter than its length',
    { code: 3, message: '', data: `0x08c379a0${word(32)}${word(400)}${text('late')}` },
    'execution reverted',
    `0x08c379a0${word(32)}${word(400)}${text('late')}`,
  ],
  ['a truncated error', { code: 3, message: '', data: '0x08c379a0' }, 'execution reverted', '0x08c379a0'],
]

t.test('a revert is code 3 with its bytes and its reason, whatever the node returned', async (t) => {
  for (const [node, error, message, data] of reverts) {
    const revert = revertOf(error)
    if (revert === undefined) t.fail(node)
    else t.match(revertError(revert, error), { code: 3, message, data, httpStatus: 200 }, node)
  }
})

t.test('other failures are not reverts', async (t) => {
  const others: readonly NodeError[] = [
    { code: -32603, message: 'EVM error OutOfGas' },
    { code: -32003, message: 'Insufficient funds for gas * price + value' },
    { code: -32000, message: 'out of gas', data: '0x' },
    { code: -32602, message: 'invalid argument', data: { message: 'no' } },
    { code: -32000, message: 'nonce too low', data: 7 },
  ]
  for (const error of others) t.equal(revertOf(error), undefined, error.message)
})
