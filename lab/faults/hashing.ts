import { createHash } from 'node:crypto'
import { limits } from '@concordat/node-access-contract/contract'
import { answered, codeOf, type Fault, onAnswer, onParams, onResult, refused } from 'concordat/conformance'

const METHODS = ['web3_sha3']

/** Length of the longest allowed data, in hexadecimal characters. */
const LONGEST_DATA = 2 + 2 * limits.dataBytes

/** Faults in hashing (specification 4). */
export const hashingFaults: readonly Fault[] = [
  {
    name: 'sha3-256-for-keccak-256',
    rule: 'hashing.keccak',
    description: 'web3_sha3 computes the standardised SHA3-256.',
    begin: () =>
      onResult(METHODS, (_hash, { params: [data] }) => {
        const bytes = Buffer.from(String(data).slice(2), 'hex')
        return `0x${createHash('sha3-256').update(bytes).digest('hex')}`
      }),
  },
  {
    name: 'text-is-hashed',
    rule: 'hashing.bytes-not-text',
    description: 'web3_sha3 hashes the characters of the hexadecimal string, not the encoded bytes.',
    begin: () =>
      onParams(METHODS, (params) =>
        typeof params[0] === 'string' && /^0x([0-9a-f]{2})*$/i.test(params[0])
          ? [`0x${Buffer.from(params[0]).toString('hex')}`, ...params.slice(1)]
          : params,
      ),
  },
  {
    name: 'large-data-hashed',
    rule: 'defaults.data-limit',
    description: 'Data of any size is hashed.',
    begin: () =>
      onAnswer(METHODS, (answer, { params: [data] }) =>
        codeOf(answer) === -32602 && String(data).length > LONGEST_DATA
          ? answered(answer, `0x${'1'.repeat(64)}`)
          : answer,
      ),
  },
  {
    name: 'data-at-the-limit-refused',
    rule: 'defaults.data-limit',
    description: 'Data with exactly the maximum number of bytes is refused.',
    begin: () =>
      onAnswer(METHODS, (answer, { params: [data] }) =>
        String(data).length === LONGEST_DATA ? refused(answer, -32602, 'too long') : answer,
      ),
  },
]
