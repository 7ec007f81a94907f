import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { RpcError } from '../../../src/runtime/rpc/index.js'
import type { Methods } from '../../../src/runtime/server/index.js'
import { parseContract } from '../../../src/toolkit/contract/index.js'
import { loadModules } from '../../unit/toolkit/codegen/fixtures.js'

/** The contract for tests with the packages of OpenRPC. */
export const shopFile = fileURLToPath(new URL('../../fixtures/interop/shop.json', import.meta.url))
export const shopText = await readFile(shopFile, 'utf8')
export const lamp = { id: 7, name: 'Lamp', price: '19.90' }

/** Its generated code. */
export async function shopMethods(): Promise<Methods> {
  const [module] = await loadModules(parseContract(shopText), ['methods.ts'])
  return (module as { readonly methods: Methods }).methods
}

/** A shop that sells lamps; product 8 is sold out. */
export function shopHandlers(visits: string[] = []) {
  return {
    findProduct: ({ id }: { id: number }) => (id === lamp.id ? lamp : null),
    total: ({ prices }: { prices: readonly number[] }) => prices.reduce((sum, price) => sum + price, 0),
    order({ product }: { product: number }) {
      if (product !== 8) return 1001
      throw new RpcError({ code: 11, message: 'Sold out', data: { until: 'Monday' }, httpStatus: 409 })
    },
    visited({ page }: { page: string }) {
      visits.push(page)
    },
  }
}
