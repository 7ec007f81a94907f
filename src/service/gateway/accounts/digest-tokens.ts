import type { DBAdapter, DBTransactionAdapter, Where } from 'better-auth'
import { type Database, isSharedWithOlderVersion } from '../store/index.js'
import { digestOfToken, storedForms } from './token-digests.js'

/** The fields of better-auth's models that hold tokens, by model. */
const tokenFields: Readonly<Record<string, string>> = { session: 'token', verification: 'identifier' }

/**
 * Wraps an adapter so that the database stores digests of tokens, and better-auth receives the tokens that it asked
 * for. better-auth itself has digests only for verifications, and in a form that the previous version cannot read.
 * @param inner the adapter of better-auth
 */
export function digestTokens(inner: DBAdapter, db: Database): DBAdapter {
  return {
    ...digestIn(inner, db),
    transaction: (work) => inner.transaction((within) => work(digestIn(within, db))),
  }
}

function digestIn<Inner extends DBTransactionAdapter>(inner: Inner, db: Database): Inner {
  return {
    ...inner,
    async create(given) {
      const { model, data } = given
      const field = tokenFields[model] ?? ''
      const token: unknown = data[field]
      if (typeof token !== 'string') return inner.create(given)
      const stored = (await isSharedWithOlderVersion(db)) ? token : digestOfToken(token)
      const row = await inner.create({ ...given, data: { ...data, [field]: stored } })
      return { ...row, [field]: token }
    },
    findOne: async (given) => withToken(given, await inner.findOne(digested(given))),
    findMany: async (given) => {
      const rows = await inner.findMany(digested(given))
      return rows.map((row) => withToken(given, row))
    },
    count: (given) => inner.count(digested(given)),
    update: async (given) => withToken(given, await inner.update(digested(given))),
    updateMany: (given) => inner.updateMany(digested(given)),
    delete: (given) => inner.delete(digested(given)),
    deleteMany: (given) => inner.deleteMany(digested(given)),
    consumeOne: async (given) => withToken(given, await inner.consumeOne(digested(given))),
    incrementOne: async (given) => withToken(given, await inner.incrementOne(digested(given))),
  }
}

interface Query {
  readonly model: string
  readonly where?: Where[] | undefined
}

/** Returns the condition of a query that looks up a token; undefined for other queries. */
const asked = ({ model, where = [] }: Query): (Where & { readonly value: string }) | undefined =>
  where.find(
    (each): each is Where & { readonly value: string } =>
      each.field === tokenFields[model] && (each.operator ?? 'eq') === 'eq' && typeof each.value === 'string',
  )

/** Makes a query look up all forms in which its token may be stored. */
function digested<Given extends Query>(given: Given): Given {
  const token = asked(given)
  if (token === undefined) return given
  const found: Where = { ...token, operator: 'in', value: [...storedForms(token.value)] }
  return { ...given, where: given.where?.map((each) => (each === token ? found : each)) }
}

/** Replaces the stored form of a token in a row by the token of the query. */
function withToken<Row>(given: Query, row: Row): Row {
  const token = asked(given)
  return token === undefined || row === null ? row : { ...row, [token.field]: token.value }
}
