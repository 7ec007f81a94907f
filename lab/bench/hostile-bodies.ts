/** Bodies of requests that cost as much as a caller can make them cost, by what they try. */

import { limits } from '@concordat/node-access-contract/contract'

const { bodyBytes, bodyValues, dataBytes, rawTransactionBytes: transactionBytes } = limits

const request = (method: string, params: string, id = '1') =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`

/** A list with as many items as fit into a body. */
const filled = (item: string, most = Number.POSITIVE_INFINITY) =>
  `[${Array(Math.min(most, Math.floor((bodyBytes - 200) / (item.length + 1))))
    .fill(item)
    .join()}]`

const filler = (length: number) => 'a'.repeat(length)
const hex = (bytes: number, byte = 'ab') => `"0x${byte.repeat(bytes)}"`

/** A plain request of a given size: the baseline of the ratios. */
export const plain = (length: number): string =>
  request('eth_chainId', `["${filler(Math.max(0, length - request('eth_chainId', '[""]').length))}"]`)

function rlpHeader(length: number, short: number): Buffer {
  if (length < 56) return Buffer.of(short + length)
  const digits = length.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.of(short + 55 + bytes.length), bytes])
}

const rlpList = (content: Buffer) => Buffer.concat([rlpHeader(content.length, 0xc0), content])

/** Lists nested around a string, with at most this total size in bytes. */
function nestedRlp(levels: number, bytes: number): string {
  const string = Buffer.alloc(Math.max(1, bytes - 4 * levels - 4), 1)
  const headers: Buffer[] = []
  let length = string.length
  for (let level = 0; level < levels; level++) {
    const header = rlpHeader(length, 0xc0)
    headers.push(header)
    length += header.length
  }
  return `"0x${Buffer.concat([...headers.reverse(), string]).toString('hex')}"`
}

/** A legacy transaction with data up to the size limit. */
function fullTransaction(): string {
  const data = Buffer.alloc(transactionBytes - 16, 1)
  const fields = [Buffer.alloc(8, 0x80), rlpHeader(data.length, 0x80), data]
  return `"0x${rlpList(Buffer.concat(fields)).toString('hex')}"`
}

const flatRlp = (bytes: number) => `"0x${rlpList(Buffer.alloc(bytes - 8, 0x80)).toString('hex')}"`

const members = (count: number, name: (at: number) => string, value: string) =>
  `{${Array.from({ length: count }, (_, at) => `"${name(at)}":${value}`).join()}}`

const batchOf = (item: (at: number) => string, count: number) =>
  `[${Array.from({ length: count }, (_, at) => item(at)).join()}]`

const call = (more: string) => `[{"to":${hex(20)}${more}},"latest"]`
const half = bodyValues / 2 - 20

/** Each body, by what it tries; no longer than a body may be. */
export const hostileBodies: Readonly<Record<string, () => string>> = {
  // Bodies that were found by external tests.
  'raw transaction, 300 lists around a string': () =>
    request('eth_sendRawTransaction', `[${nestedRlp(300, 2_600_000)}]`),
  'raw transaction, 1,000 lists around a string': () =>
    request('eth_sendRawTransaction', `[${nestedRlp(1_000, 2_600_000)}]`),
  'raw transaction, 600,000 lists': () =>
    request('eth_sendRawTransaction', `[${nestedRlp(600_000, 2_400_000)}]`),
  'raw transaction, 2,500,000 items': () => request('eth_sendRawTransaction', `[${flatRlp(2_600_000)}]`),
  'lists in a parameter': () => request('eth_getLogs', `[{"address":${filled('[[[[[[[[[[]]]]]]]]]]')}}]`),
  'call object of 400,000 members': () =>
    request('eth_call', `[${members(400_000, (at) => String(at), '0')},"latest"]`),
  // The same within the limits.
  'raw transaction at its limit, 30,000 lists': () =>
    request('eth_sendRawTransaction', `[${nestedRlp(30_000, transactionBytes)}]`),
  'raw transaction at its limit, 131,000 items': () =>
    request('eth_sendRawTransaction', `[${flatRlp(transactionBytes - 8)}]`),
  'raw transactions at their limit, a batch': () =>
    batchOf((at) => request('eth_sendRawTransaction', `[${fullTransaction()}]`, String(at)), 19),
  'values at their limit, numbers': () => request('eth_call', filled('0', bodyValues - 10)),
  'values at their limit, lists': () =>
    request('eth_call', `[{"to":${hex(20)},"data":${filled('[]', bodyValues - 20)}},"latest"]`),
  'values at their limit, long texts': () =>
    request('eth_getLogs', `[{"address":${filled(`"${filler(90)}"`, bodyValues - 20)}}]`),
  'values at their limit, addresses': () =>
    request('eth_getLogs', `[{"address":${filled(hex(20), bodyValues - 20)}}]`),
  'values at their limit, members': () =>
    request('eth_call', `[${members(half, (at) => `${filler(180)}${at}`, '"0x0"')},"latest"]`),
  'values at their limit, numbered members': () =>
    request('eth_call', `[${members(half, (at) => String(at * 65_536), '0')},"latest"]`),
  'values at their limit, one member': () =>
    request('eth_call', `[${members(half, () => 'to', hex(20))},"latest"]`),
  'values at their limit, a batch of calls': () =>
    batchOf(
      (at) => request('eth_call', `[${members(240, (name) => `m${name}`, '0')},"latest"]`, String(at)),
      100,
    ),
  'one data at its limit, hashed': () => request('web3_sha3', `[${hex(dataBytes)}]`),
  'data at its limit, a call': () => request('eth_call', call(`,"data":${hex(dataBytes)}`)),
  'data at its limit, twice in another case': () =>
    request('eth_call', call(`,"data":${hex(dataBytes, 'ab')},"input":${hex(dataBytes, 'AB')}`)),
  'data at its limit, estimated': () =>
    request('eth_estimateGas', `[{"to":${hex(20)},"data":${hex(dataBytes)}}]`),
  'data at its limit, hashed in a batch': () =>
    batchOf((at) => request('web3_sha3', `[${hex(dataBytes)}]`, String(at)), 4),
  'data at its limit, called in a batch': () =>
    batchOf((at) => request('eth_call', call(`,"data":${hex(dataBytes)}`), String(at)), 4),
  '50 KB of data, hashed in a batch': () =>
    batchOf((at) => request('web3_sha3', `[${hex(26_000)}]`, String(at)), 98),
  '50 KB of data, called in a batch': () =>
    batchOf((at) => request('eth_call', call(`,"data":${hex(26_000)}`), String(at)), 98),
  'filters at their limits, a batch': () =>
    batchOf(
      (at) =>
        request(
          'eth_getLogs',
          `[{"blockHash":${hex(32)},"address":${`[${Array(256).fill(hex(20)).join()}]`}}]`,
          String(at),
        ),
      100,
    ),
  'an id of digits': () => request('eth_chainId', '[]', '1'.repeat(bodyBytes - 100)),
  'ids of digits, a batch': () => batchOf(() => request('eth_chainId', '[]', '9'.repeat(52_000)), 100),
  'an id with a fraction, a batch': () =>
    batchOf(() => request('eth_chainId', '[]', `0.${'9'.repeat(52_000)}`), 100),
  'an id of escapes': () => request('eth_chainId', '[]', `"${'\\u0000'.repeat(870_000)}"`),
  'an id of halves of characters': () => request('eth_chainId', '[]', `"${'\\ud800'.repeat(870_000)}"`),
  'a method of 5 MB': () => request(filler(bodyBytes - 100), '[]'),
  backslashes: () => request('eth_chainId', `["${'\\\\'.repeat(2_600_000)}"]`),
  'quotes that are escaped': () => request('eth_chainId', `["${'\\"'.repeat(2_600_000)}"]`),
  'characters of three bytes': () => request('eth_chainId', `["${'\u4e00'.repeat(1_740_000)}"]`),
  'characters of four bytes': () =>
    request('eth_getBalance', `["${'\u{1f600}'.repeat(1_300_000)}","latest"]`),
  spaces: () => request('eth_chainId', '[]').padEnd(bodyBytes),
  'a large address': () => request('eth_getBalance', `["0x${'1'.repeat(5_242_000)}","latest"]`),
  'an open string': () => `["${filler(bodyBytes - 10)}`,
  'opening brackets': () => '['.repeat(bodyBytes),
  digits: () => '1'.repeat(bodyBytes),
}
