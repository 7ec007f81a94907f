/** Bodies of requests, by the request's number. */

export const local = (): string => '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'

/** A call that was not sent before and has no cached answer. */
export const balance = (request: number): string =>
  `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x${request.toString(16).padStart(40, '0')}","latest"]}`

/** A call whose answer cannot change. It reaches a node once. */
export const deepBalance = (): string =>
  `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x${'a1'.repeat(20)}","0x10"]}`
