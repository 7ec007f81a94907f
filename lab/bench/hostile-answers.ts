/** Answers of a node that cost as much as a node can make them cost, each with the request that gets it. */
export interface HostileAnswer {
  readonly request: string
  /** The answer's text, with the id in place of ID. */
  readonly answer: () => string
}

const mebibytes = 1_048_576

const request = (method: string, params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`

let lastAddress = 0xbad_0000

/**
 * A balance at a unique address, which selects the node's answer. The call reads the pending state, which is never
 * cached.
 */
function balanceAnswer(answer: () => string): HostileAnswer {
  const address = `0x${(++lastAddress).toString(16).padStart(40, '0')}`
  return { request: request('eth_getBalance', `["${address}","pending"]`), answer }
}

function callAnswer(answer: () => string): HostileAnswer {
  const address = `0x${(++lastAddress).toString(16).padStart(40, '0')}`
  return { request: request('eth_call', `[{"to":"${address}"},"pending"]`), answer }
}

function blockAnswer(answer: () => string): HostileAnswer {
  const hash = `0x${(++lastAddress).toString(16).padStart(64, '0')}`
  return { request: request('eth_getBlockByHash', `["${hash}",true]`), answer }
}

const result = (text: string) => `{"jsonrpc":"2.0","id":ID,"result":${text}}`
const error = (message: string, data = '"0x"') =>
  `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"${message}","data":${data}}}`
const list = (item: string, count: number) => `[${Array(count).fill(item).join()}]`

/** Each answer, by what it tries. */
export const hostileAnswers: Readonly<Record<string, HostileAnswer>> = {
  lists: balanceAnswer(() => result(list('[]', 5_000_000))),
  members: blockAnswer(() => result(membersOf(500_000, '"0xAB"'))),
  'nested lists': balanceAnswer(() => result('['.repeat(4 * mebibytes) + ']'.repeat(4 * mebibytes))),
  'a quantity of digits': balanceAnswer(() => result(`"${'9'.repeat(8_000_000)}"`)),
  'a quantity of zeros': balanceAnswer(() => result(`"0x${'0'.repeat(8_000_000)}1"`)),
  'data of 30 MiB': callAnswer(() => result(`"0x${'ab'.repeat(30 * mebibytes)}"`)),
  'an error of "revert"': callAnswer(() => error(`${'revert '.repeat(20_000)}\\n`)),
  'an error of spaces after "revert"': callAnswer(() => error(`revert${' '.repeat(100_000)}\\n`)),
  'an error of letters': callAnswer(() => error('a'.repeat(8_000_000))),
  'an error with prefixes': callAnswer(() => error('x', `"${'0x'.repeat(4_000_000)}g"`)),
  'an id of digits': balanceAnswer(() => `{"jsonrpc":"2.0","id":${'1'.repeat(8_000_000)},"result":"0x1"}`),
  spaces: balanceAnswer(() => result(`${' '.repeat(8_000_000)}"0x1"`)),
  // The same within the bounds.
  'lists at their bound': balanceAnswer(() => result(list('[]', 99_990))),
  'members, as many as values': blockAnswer(() => result(membersOf(49_990, '"0xAB"'))),
  'long members, as many as values': blockAnswer(() => result(membersOf(49_990, longText))),
  'long members at their bound, left out': blockAnswer(() => result(`{"transactions":${longObjects()}}`)),
  'long members at their bound, changed': blockAnswer(() =>
    result(`{"transactions":${list(objectOf(listedMembers, longText), 3_200)}}`),
  ),
  'long members at their bound, refused': balanceAnswer(() => result(longObjects())),
  'transactions at their bound': blockAnswer(() =>
    result(`{"transactions":${list('{"nonce":"0x00","from":"0xAB","input":"0xAB"}', 14_200)}}`),
  ),
  'transactions of another chain at their bound': blockAnswer(() =>
    result(`{"transactions":${list('{"nonce":"0x00","a":"0xAB","b":"0xAB"}', 14_200)}}`),
  ),
  'data at their bound': callAnswer(() => result(`"0x${'AB'.repeat(4_194_000)}"`)),
  'revert data at their bound': callAnswer(() => error('revert', `"0x${'ab'.repeat(524_288)}"`)),
  'error data of lists at their bound': callAnswer(() => error('x', list('[]', 99_980))),
  'error data of texts at their bound': callAnswer(() => error('x', list(`"${'a'.repeat(76)}"`, 99_980))),
}

const longText = `"0x${'AB'.repeat(70)}"`

/** Objects with the maximum number of members, all with different names. */
function longObjects(): string {
  const objects = Array.from({ length: 774 }, (_, at) => membersOf(64, longText, `m${at}_`))
  return `[${objects.join()}]`
}

/** Members of a transaction with arbitrary bytes. */
const listedMembers =
  'blockHash from to gas gasPrice hash input nonce v r s transactionIndex type value'.split(' ')

const membersOf = (count: number, value: string, prefix = 'm') =>
  objectOf(
    Array.from({ length: count }, (_, at) => `${prefix}${at}`),
    value,
  )

const objectOf = (names: readonly string[], value: string) =>
  `{${names.map((name) => `"${name}":${value}`).join()}}`
