import { Transaction } from 'micro-eth-signer'
import { privateKeyFrom } from './accounts.js'
import { type ChainFunction, ChainFunctionError, type JsonObject, type JsonValue } from './chain-function.js'
import { amountOf, hexOf, objectOf } from './input.js'

const members = ['privateKey', 'chainId', 'nonce', 'gasPrice', 'gas', 'to', 'value', 'data']

/**
 * Signs a legacy transaction with replay protection (EIP-155): `signTransaction({privateKey, chainId, nonce, gasPrice,
 * gas, to?, value?, data?})`. Without `to` it creates a contract. The signature is deterministic (RFC 6979): the same
 * transaction gives the same bytes.
 * @returns `{ raw, hash, from }`: the signed bytes, their hash, and the sender
 */
export const signTransaction: ChainFunction = ([input]) => {
  const fields = objectOf(input, 'the transaction')
  const unknown = Object.keys(fields).find((name) => !members.includes(name))
  if (unknown !== undefined) {
    throw new ChainFunctionError(
      `A transaction to sign has no member ${unknown}; it has ${members.join(', ')}.`,
    )
  }
  const unsigned = {
    ...fieldsOf(fields, fields['data']),
    chainId: amountOf(fields['chainId'], 'chainId'),
    type: 'legacy' as const,
  }
  const signed = checked(() =>
    Transaction.prepare(unsigned, false).signBy(privateKeyFrom(fields['privateKey']), false),
  )
  return {
    raw: signed.toHex(),
    hash: signed.hash,
    from: signed.sender.toLowerCase(),
  }
}

/**
 * What the members of a transaction, as a service answers it, say that its hash and its sender are:
 * `hashAndSenderOf(transaction)`. Both must be those that it has. Legacy transactions with a signature only.
 * @returns `{ hash, from }`
 */
export const hashAndSenderOf: ChainFunction = ([input]) => {
  const answered = objectOf(input, 'the transaction')
  if (answered['type'] !== '0x0') {
    throw new ChainFunctionError('hashAndSenderOf takes a legacy transaction, whose type is 0x0.')
  }
  const v = amountOf(answered['v'], 'v')
  const protectedV = v >= 35n
  const fields = {
    ...fieldsOf(answered, answered['input']),
    ...(protectedV ? { chainId: (v - 35n) / 2n } : {}),
    yParity: Number(protectedV ? (v - 35n) % 2n : v - 27n),
    r: amountOf(answered['r'], 'r'),
    s: amountOf(answered['s'], 's'),
  }
  const signed = checked(() => new Transaction('legacy', fields as never, { strict: false }))
  return checked(() => ({ hash: signed.hash, from: signed.sender.toLowerCase() }))
}

/** The members that a transaction to be signed and one that was mined have in common. */
function fieldsOf(fields: JsonObject, data: JsonValue | undefined) {
  const to = fields['to'] ?? '0x'
  return {
    nonce: amountOf(fields['nonce'], 'nonce'),
    gasPrice: amountOf(fields['gasPrice'], 'gasPrice'),
    gasLimit: amountOf(fields['gas'], 'gas'),
    // Lower case says that there is no checksum to check.
    to: to === '0x' ? to : hexOf(to, 'to', 20),
    value: amountOf(fields['value'] ?? '0x0', 'value'),
    data: hexOf(data ?? '0x', 'data'),
  }
}

/** Words of the library's own are put after ours. */
function checked<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (error instanceof ChainFunctionError) throw error
    const { errors } = error as { errors?: readonly { field: string; error: string }[] }
    const reason = errors?.map(({ field, error }) => `${field}: ${error}`).join(', ')
    throw new ChainFunctionError(`These members make no transaction: ${reason ?? (error as Error).message}.`)
  }
}
