import { isDeepStrictEqual } from 'node:util'
import { getCreateAddress, keccak256 as keccakOfEthers, Wallet } from 'ethers'
import fc from 'fast-check'
import t from 'tap'
import type { Hex } from 'viem'
import { keccak256 as keccakOfViem, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { chainFunctions } from '../../../../src/judge/functions/index.js'
import { runs } from '../../../support/runs.js'
import { compute } from './compute.js'

const bytes = (min: number, max: number) =>
  fc
    .uint8Array({ minLength: min, maxLength: max })
    .map((value) => `0x${Buffer.from(value).toString('hex')}` as Hex)
const quantityUpTo = (max: bigint) => fc.bigInt({ min: 0n, max }).map((value) => `0x${value.toString(16)}`)
// Extreme private keys are too rare for random tests; the table below covers them.
const privateKey = bytes(32, 32).filter((key) => /^0x[1-9a-e]/.test(key))

const unsigned = fc.record(
  {
    chainId: fc.constantFrom('0x1e', '0x1f', '0x7fffffff'),
    nonce: quantityUpTo(2n ** 53n - 1n),
    gasPrice: quantityUpTo(2n ** 64n),
    gas: quantityUpTo(2n ** 53n - 1n),
    to: bytes(20, 20),
    value: quantityUpTo(2n ** 256n - 1n),
    data: bytes(0, 100),
  },
  { requiredKeys: ['chainId', 'nonce', 'gasPrice', 'gas'] },
)

t.test('keccak-256 agrees with viem and ethers', async () => {
  fc.assert(
    fc.property(bytes(0, 300), (data) => {
      const hash = compute('keccak256', data)
      return hash === keccakOfViem(data) && hash === keccakOfEthers(data)
    }),
  )
})

t.test('addresses of private keys and of created contracts agree with viem and ethers', async () => {
  fc.assert(
    fc.property(privateKey, fc.nat(), (key, nonce) => {
      const address = compute('addressOf', key)
      const created = compute('contractAddress', address, `0x${nonce.toString(16)}`)
      return (
        address === privateKeyToAccount(key).address.toLowerCase() &&
        address === new Wallet(key).address.toLowerCase() &&
        created === getCreateAddress({ from: String(address), nonce }).toLowerCase()
      )
    }),
    { numRuns: runs(30) },
  )
})

t.test('a signed transaction equals that of viem byte for byte, with hash and sender', async () => {
  await fc.assert(
    fc.asyncProperty(privateKey, unsigned, async (key, fields) => {
      const signed = compute('signTransaction', { privateKey: key, ...fields })
      const account = privateKeyToAccount(key)
      const raw = await account.signTransaction({
        type: 'legacy',
        chainId: Number(fields.chainId),
        nonce: Number(fields.nonce),
        gasPrice: BigInt(fields.gasPrice),
        gas: BigInt(fields.gas),
        to: fields.to ?? null,
        value: BigInt(fields.value ?? 0),
        ...(fields.data === undefined ? {} : { data: fields.data }),
      })
      return isDeepStrictEqual(signed, { raw, hash: keccakOfViem(raw), from: account.address.toLowerCase() })
    }),
    { numRuns: runs(50) },
  )
})

t.test('hash and sender are computed from the members of an answer', async () => {
  await fc.assert(
    fc.asyncProperty(privateKey, unsigned, fc.boolean(), async (key, fields, isProtected) => {
      const account = privateKeyToAccount(key)
      const raw = await account.signTransaction({
        type: 'legacy',
        ...(isProtected ? { chainId: Number(fields.chainId) } : {}),
        nonce: Number(fields.nonce),
        gasPrice: BigInt(fields.gasPrice),
        gas: BigInt(fields.gas),
        to: fields.to ?? null,
        value: BigInt(fields.value ?? 0),
        data: fields.data ?? '0x',
      })
      const { v, r, s } = parseTransaction(raw)
      const answered = { ...fields, input: fields.data ?? '0x', v: `0x${v?.toString(16)}`, r, s, type: '0x0' }
      return isDeepStrictEqual(compute('hashAndSenderOf', { ...answered, to: fields.to ?? null } as never), {
        hash: keccakOfViem(raw),
        from: account.address.toLowerCase(),
      })
    }),
    { numRuns: runs(50) },
  )
})

t.test('equal texts give equal keys, other texts other keys', async (t) => {
  const key = compute('privateKeyOf', 'a sender without funds')
  t.match(key, /^0x[0-9a-f]{64}$/)
  t.equal(compute('privateKeyOf', 'a sender without funds'), key)
  t.not(compute('privateKeyOf', 'another one'), key)
  t.match(compute('addressOf', key), /^0x[0-9a-f]{40}$/)
})

t.test('invalid transactions are refused in a sentence that contains no private key', async (t) => {
  const good = {
    privateKey: `0x${'11'.repeat(32)}`,
    chainId: '0x1f',
    nonce: '0x0',
    gasPrice: '0x1',
    gas: '0x5208',
  }
  const cases: { name: string; params: readonly unknown[]; message: RegExp }[] = [
    { name: 'nothing', params: [], message: /^the transaction must be an object, not nothing\.$/ },
    {
      name: 'no chain id',
      params: [{ ...good, chainId: undefined }],
      message: /^chainId must be a non-negative integer/,
    },
    {
      name: 'a short address',
      params: [{ ...good, to: '0x12' }],
      message: /^to must be 20 bytes in hex/,
    },
    {
      name: 'half a byte',
      params: [{ ...good, data: '0x1' }],
      message: /^data must be bytes in hex/,
    },
    {
      name: 'an unknown member',
      params: [{ ...good, gasLimit: '0x1' }],
      message: /Unknown member gasLimit/,
    },
    { name: 'a nonce of 64 bits', params: [{ ...good, nonce: '0xffffffffffffffff' }], message: /nonce/ },
    {
      name: 'key 0',
      params: [{ ...good, privateKey: `0x${'00'.repeat(32)}` }],
      message: /^privateKey must be/,
    },
    {
      name: 'key too short',
      params: [{ ...good, privateKey: '0xabcdef' }],
      message: /^privateKey must be/,
    },
  ]
  for (const { name, params, message } of cases) {
    t.throws(
      () => compute('signTransaction', ...(params as never[])),
      { name: 'ChainFunctionError', message },
      name,
    )
  }
  t.throws(() => compute('addressOf', '0xabcdef'), { message: /^(?!.*abcdef).*$/ })
  t.throws(() => compute('hashAndSenderOf', { type: '0x2' }), { message: /legacy/ })
  t.throws(
    () => compute('hashAndSenderOf', { ...good, type: '0x0', input: '0x', v: '0x62', r: '0x0', s: '0x0' }),
    { name: 'ChainFunctionError', message: /^Invalid transaction: / },
  )
})

t.test('every function names its parameters when it is called without any', async (t) => {
  for (const [name, run] of Object.entries(chainFunctions)) {
    if (name === 'concat' || name === 'repeat') continue
    t.throws(() => run([]), { name: 'ChainFunctionError', message: /^.+ must be .+\.$/ }, name)
  }
  t.throws(() => compute('concat', 1), { message: 'each parameter must be a list, not 1.' })
  t.throws(() => compute('repeat', 'x'), { name: 'ChainFunctionError' })
})
