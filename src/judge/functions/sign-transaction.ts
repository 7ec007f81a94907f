import { Transaction } from 'micro-eth-signer'
import { privateKeyFrom } from './accounts.js'
import { type ChainFunction, ChainFunctionError, type JsonObject, type JsonValue } from './chain-function.js'
import { amountOf, hexOf, objectOf } from './input.js'

const members = ['privateKey', 'chainId', 'nonce', 'gasPrice', 'gas', 'to', 'value', 'data']

/**
 * Signs a legacy transaction with replay protection (EIP-155): `signTransaction({privateKey, chainId, nonce,
 * gasPrice, gas, to?, value?, data?})`. Without `to` it creates a contract. Signatures are deterministic (RFC
 * 6979).
 * @returns `{ raw, hash, from }`: the signed bytes, their hash and the sender
 */
export const signTransaction: ChainFunction = ([input]) => {
  const fields = objectOf(input, 'the transaction')
  const unknown = Object.keys(fields).find((name) => !members.includes(name))
  if (unknown !== undefined) {
    throw new ChainFunctionError(
      `Unknown member ${unknown} of a transaction to sign; it has ${members.join(', ')}.`,
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
 * Computes the hash and the sender of a mined legacy transaction from its other members:
 * `hashAndSenderOf(transaction)`. Scenarios compare them with the stated ones.
 * @returns `{ hash, from }`
 */
export const hashAndSenderOf: ChainFunction = ([input]) => {
  const answered = objectOf(input, 'the transaction')
  if (answered['type'] !== '0x0') {
    throw new ChainFunctionError('hashAndSenderOf takes a legacy transaction with type 0x0.')
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

/** Reads the members that unsigned and mined transactions share. */
function fieldsOf(fields: JsonObject, data: JsonValue | undefined) {
  const to = fields['to'] ?? '0x'
  return {
    nonce: amountOf(fields['nonce'], 'nonce'),
    gasPrice: amountOf(fields['gasPrice'], 'gasPrice'),
    gasLimit: amountOf(fields['gas'], 'gas'),
    // Lower-case addresses have no checksum to verify.
    to: to === '0x' ? to : hexOf(to, 'to', 20),
    value: amountOf(fields['value'] ?? '0x0', 'value'),
    data: hexOf(data ?? '0x', 'data'),
  }
}

/** Converts errors of the library to a {@link ChainFunctionError}. */
function checked<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (error instanceof ChainFunctionError) throw error
    const { errors } = error as { errors?: readonly { field: string; error: string }[] }
    const reason = errors?.map(({ field, error }) => `${field}: ${error}`).join(', ')
    throw new ChainFunctionError(`Invalid transaction: ${reason ?? (error as Error).message}.`)
  }
}
