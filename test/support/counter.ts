import { readFileSync } from 'node:fs'
import type { Abi, Hex } from 'viem'

/** The compiled contract of `test/fixtures/counter/counter.sol`. */
export const counter = JSON.parse(
  readFileSync(new URL('../fixtures/counter/counter.json', import.meta.url), 'utf8'),
) as { readonly abi: Abi; readonly bytecode: Hex }
