import type { JsonObject } from '@concordat/rpc'

/** The contract's gas values for the intrinsic cost of a transaction (rule `estimate-gas.not-below-base`). */
export interface IntrinsicGas {
  /** Gas of every transaction. */
  readonly transactionGas: number
  /** Gas that a contract creation adds. */
  readonly creationGas: number
  /** Gas that each zero byte of data adds. */
  readonly zeroByteGas: number
  /** Gas that each other byte of data adds. */
  readonly dataByteGas: number
}

/** Returns the gas that a transaction costs before its first step. */
export function intrinsicGas({ to, data }: JsonObject, gas: IntrinsicGas): bigint {
  const bytes = Buffer.from(typeof data === 'string' ? data.slice(2) : '', 'hex')
  let zeroBytes = 0
  for (const byte of bytes) if (byte === 0) zeroBytes++
  return BigInt(
    gas.transactionGas +
      (to === undefined ? gas.creationGas : 0) +
      zeroBytes * gas.zeroByteGas +
      (bytes.length - zeroBytes) * gas.dataByteGas,
  )
}
