import { methods } from '@concordat/node-access-contract/methods'

/** The subject of a call, as the contract states it (`x-about`). */
interface Subject {
  readonly head?: true
  readonly block?: string | readonly string[]
  readonly transaction?: string
  readonly list?: string
  readonly at?: string
  readonly hash?: string
}

/** Properties by which faults select methods, read from the contract. */
const known = Object.values(methods).map(({ name, params, errors, extensions }) => {
  const about: Subject = extensions['x-about']
  return {
    name,
    about,
    params: params.length,
    /** Position of the parameter that takes a block tag or number; -1 without one. */
    selectorAt:
      about.block === '/blockSelector' ? params.findIndex(({ name }) => name === 'blockSelector') : -1,
    /** True when the method reads state at a block. */
    readsState: (errors as readonly string[]).includes('blockNotFound'),
  }
})

type Known = (typeof known)[number]

const named = (isMeant: (method: Known) => boolean): readonly string[] =>
  known.filter(isMeant).map(({ name }) => name)

const placed = (isMeant: (method: Known) => boolean): Readonly<Record<string, number>> =>
  Object.fromEntries(
    known
      .filter((method) => method.selectorAt >= 0 && isMeant(method))
      .map(({ name, selectorAt }) => [name, selectorAt]),
  )

/** Methods whose result is a block. */
export const blockMethods = named(({ about }) => about.block !== undefined && about.hash === '/hash')

/** Methods that find a transaction by its index in a block. */
export const byIndexMethods = named(({ about }) => about.at !== undefined)

/** Methods whose result is a transaction. */
export const transactionMethods = [
  ...named(({ about }) => about.transaction !== undefined && about.hash === '/hash'),
  ...byIndexMethods,
]

/** Methods that count the transactions of a block. */
export const countMethods = named(({ about }) => about.list === 'transactions' && about.at === undefined)

/** Methods that count the uncles of a block. */
export const uncleMethods = named(({ about }) => about.list === 'uncles')

/** Methods that read state at a block, with the position of their block parameter. */
export const stateMethods = placed(({ readsState }) => readsState)

/** Methods with a block tag or number, with the position of that parameter. */
export const selectorMethods = placed(() => true)

/** Methods without parameters. */
export const bareMethods = named(({ params }) => params === 0)
