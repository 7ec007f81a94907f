import t from 'tap'
import { fixtureNames, fixturePath, inFolder, loadFixture, write } from './fixtures.js'
import { judgeDocument } from './judge-document.js'
import { strictCompile } from './strict-compile.js'

/** Uses the code generated for the pet store. Lines that must not compile are marked as errors. */
const petStoreUse = `
import type { Handlers } from './service.js'
import type { Params, Pet, Results } from './types.js'
import { type MethodName, methods } from './methods.js'
import { errors, failure } from './errors.js'
import { limits, rules, extensions } from './contract.js'
import { createClient, isRpcError, type MethodError } from './client.js'

export const pet: Pet = { id: 1, name: 'Rex', kind: 'dog' }
// @ts-expect-error a kind that the contract does not have
export const other: Pet = { ...pet, kind: 'cow' }
// @ts-expect-error members are readonly
pet.name = 'Max'

export const handlers: Handlers<{ user: string }> = {
  listPets: ({ limit, status }, { user }) => (limit > 1 && status === 'sold' && user === '' ? [] : [pet]),
  getPet: async ({ id, fields }) => (id === 1 && !fields ? pet : null),
  addPet({ pet: { id }, dryRun }) {
    if (dryRun) throw errors.busy({ data: { seconds: 1 } })
    throw failure('storeClosed', { values: { hour: id } })
  },
  petSeen: () => undefined,
}
// @ts-expect-error a method is missing
export const incomplete: Handlers = { listPets: () => [], getPet: () => null, addPet: () => 1 }
// @ts-expect-error data of another form
errors.busy({ data: { hours: 1 } })
// @ts-expect-error a situation that the contract does not name
failure('storeOnFire')

export const params: Params['listPets'] = [1]
export const named: Params['getPet'] = { id: 1 }
// @ts-expect-error too many
export const many: Params['listPets'] = [1, 'sold', 2]
export const result: Results['addPet'] = 5
export const name: MethodName = methods.getPet.name
export const structure: 'by-name' = methods.getPet.paramStructure
export const limit: 100 = limits.petsPerAnswer
export const level: 'mandatory' = rules['pets.newest-first'].level
export const colour: 'green' = extensions['x-mood'].colour

const client = createClient('http://localhost')
export async function calls() {
  const pets: readonly Pet[] = await client.listPets(undefined, 'sold', { timeoutMilliseconds: 5 })
  const one: Pet | null = await client.getPet({ id: 1, fields: undefined })
  const nothing: void = await client.petSeen(1)
  const [list, seen] = await client.batch((call) => [call.listPets(), call.petSeen(1)])
  const first: Pet | undefined = list.status === 'fulfilled' ? list.value[0] : undefined
  if (seen.status === 'fulfilled') seen.value satisfies void
  // @ts-expect-error parameters by name
  client.getPet(1)
  // @ts-expect-error a required parameter
  client.getPet({ fields: [] })
  // @ts-expect-error a parameter that the contract does not have
  client.getPet({ id: 1, other: 2 })
  // @ts-expect-error a value that the contract does not have
  client.listPets(1, 'lost')
  return [pets, one, nothing, first]
}
export function told(error: unknown, ofMethod: MethodError<'listPets'>): number | undefined {
  // @ts-expect-error listPets does not declare it
  if (ofMethod.error === 'closed') return 0
  return isRpcError(error, 'busy') ? error.data?.seconds : undefined
}
`

/** Types and methods whose names the client already has, and results that a parameter narrows. */
const clientNamesUse = `
import { createClient, isRpcError } from './client.js'
import type { Client, Long, Short } from './types.js'

const client = createClient('http://localhost')
export async function calls(shape: 'short' | 'long') {
  const one: Client = await client.batch({ signal: 'a parameter' }, 1, 2, 'x', 'y', { timeoutMilliseconds: 5 })
  const list: readonly number[] = await client.batch_(undefined, 1)
  const short: Short | null = await client.then_()
  const named: Short | null = await client.then_({ 'how many': 1 })
  const long: Long | null = await client.then_({ shape: 'long' })
  const either: Short | Long | null = await client.then_({ shape })
  // @ts-expect-error not known to be a long one
  ;(await client.then_({ shape })).long
  const other: Long = await client.some(undefined, 'long')
  // @ts-expect-error any other value gives either
  ;(await client.some(1, 'longer')).long
  const [first] = await client.batch__((call) => [call.then_({ shape: 'long' })])
  const found: Long | null = first.status === 'fulfilled' ? first.value : null
  return [one, list, short, named, long, either, other, found]
}
export function told(error: unknown): string | undefined {
  return isRpcError(error, 'first') ? error.data?.kind : undefined
}
`

/** Methods with dots, as namespaces of the client, its batches and the handlers. */
const namespacesUse = `
import { createServer } from '@concordat/server'
import { createClient, type MethodError } from './client.js'
import { methods } from './methods.js'
import type { Handlers } from './service.js'
import type { Params } from './types.js'

const client = createClient('http://localhost')
export async function calls() {
  const keys: readonly string[] = await client.wallet.listKeys('main', { timeoutMilliseconds: 5 })
  const count: number = await client.wallet.keys.add({ wallet: 'main', key: 'k' })
  const nothing: void = await client.wallet.seen('main')
  const beside: string = (await client.admin()) + (await client['admin.start']()) + (await client['admin.users'].list())
  const later: string = (await client.later.then_()) + (await client.then_()) + (await client.then__())
  const [first] = await client.batch_((call) => [call.wallet.keys.add({ wallet: 'main', key: 'k' })])
  const added: number | undefined = first.status === 'fulfilled' ? first.value : undefined
  // @ts-expect-error no method of the contract
  client.wallet.drop()
  // @ts-expect-error a namespace is no function
  client.wallet()
  return [keys, count, nothing, beside, later, added]
}
export const params: Params['wallet.listKeys'] = ['main']
export function told({ error }: MethodError<'wallet.listKeys'>): 'noSuchWallet' | undefined {
  return error
}
export function serve(handlers: Handlers) {
  createServer({ methods, handlers })
  const { wallet, ...others } = handlers
  createServer({ methods, handlers: { ...others, wallet: { ...wallet, listKeys: async ({ wallet }) => [wallet] } } })
  // @ts-expect-error a namespace is missing
  createServer({ methods, handlers: others })
  // @ts-expect-error a method of a namespace is missing
  createServer({ methods, handlers: { ...others, wallet: { seen: wallet.seen, keys: wallet.keys } } })
}
`

/** Rules that the fixtures violate on purpose. */
const expectedErrors: Readonly<Record<string, readonly string[]>> = {
  'broken-examples': ['example-violates-schema', 'example-missing-parameter', 'example-unknown-parameter'],
  'client-names': ['required-after-optional'],
  links: ['link-unknown-method'],
  'required-after-optional': ['required-after-optional'],
}

t.test('every document is linted, generated and compiled, and a second run writes nothing', async (t) => {
  await inFolder(async (dir) => {
    await write(dir, { path: 'pet-store/use.ts', content: petStoreUse })
    await write(dir, { path: 'client-names/use.ts', content: clientNamesUse })
    await write(dir, { path: 'namespaces/use.ts', content: namespacesUse })
    for (const name of fixtureNames) {
      const source = { name, path: fixturePath(name), contract: await loadFixture(name) }
      const found = await judgeDocument(t, dir, source)
      const errors = found.flatMap(({ rule, severity }) => (severity === 'error' ? [rule] : []))
      t.same([...new Set(errors)].sort(), [...(expectedErrors[name] ?? [])].sort(), `${name}: errors`)
    }
    t.equal(await strictCompile(dir), '')
  })
})
