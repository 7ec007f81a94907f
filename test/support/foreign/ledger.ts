import type { Test } from 'tap'
import { integer, only, type Params, Refusal, startJsonRpc, text } from './json-rpc-server.js'

/** Mistakes that a ledger can have. */
export const ledgerBugs = {
  'large-amount-as-text': 'amounts from 1000.00 on are texts with a comma',
  'negative-amount': 'a transfer of a negative amount is accepted',
  'no-balance-in-error': 'the error for a transfer beyond the balance has no data',
  'result-beside-error': 'an error is answered with a null result beside it',
  'last-page-lost': 'the last page is missing unless it is full',
  'reverse-keeps-fee': 'reversing a transfer does not return the fee',
  'entries-by-id': 'entries are sorted by their ids instead of their days',
  'total-leaves-out-overdrawn': 'the total of all accounts leaves out accounts below zero',
} as const

interface Entry {
  readonly id: string
  readonly account: string
  readonly day: string
  readonly cents: number
  readonly transfer: string
}

/** The bank's own account, which receives a fee of 10 cents for each transfer. */
const bank = 'bank'
const fee = 10

/** Starts a ledger of accounts with transfers. Amounts are texts with two decimals. */
export function startLedger(t: Test, bug?: keyof typeof ledgerBugs): Promise<string> {
  const accounts = new Map<string, number>()
  const entries: Entry[] = []
  const transfers = new Map<
    string,
    { from: string; to: string; cents: number; day: string; isReversed: boolean }
  >()
  let count = 0
  const book = (account: string, cents: number, day: string, transfer: string) => {
    accounts.set(account, (accounts.get(account) ?? 0) + cents)
    entries.push({ id: `e${String(entries.length + 1).padStart(4, '0')}`, account, day, cents, transfer })
  }
  const move = (from: string, to: string, cents: number, day: string) => {
    const id = `t${++count}`
    transfers.set(id, { from, to, cents, day, isReversed: false })
    book(from, -cents - fee, day, id)
    book(to, cents, day, id)
    book(bank, fee, day, id)
    return id
  }
  book(bank, 0, '2026-01-01', 'opening')
  book('anna', 250_000, '2026-01-01', 'opening')
  book('ben', 40_000, '2026-01-01', 'opening')
  book('cleo', -1_250, '2026-01-01', 'opening')
  const moved = [
    ['anna', 'ben', 120_50, '2026-02-03'],
    ['ben', 'cleo', 9_99, '2026-02-01'],
    ['anna', 'cleo', 1, '2026-02-05'],
    ['anna', 'ben', 75_00, '2026-02-04'],
    ['ben', 'anna', 20_00, '2026-02-02'],
  ] as const
  for (const [from, to, cents, day] of moved) move(from, to, cents, day)

  const amount = (cents: number): string => {
    const plain = `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`
    const isLarge = bug === 'large-amount-as-text' && Math.abs(cents) >= 100_000
    return isLarge ? plain.replace(/\B(?=(\d{3})+\.)/g, ',') : plain
  }
  const known = (params: Params, name: string): string => {
    const account = text(params, name, 20, 1)
    if (!accounts.has(account)) throw new Refusal(1, 'Unknown account')
    return account
  }
  const transferOf = (id: string) => {
    const found = transfers.get(id)
    if (found === undefined) throw new Refusal(2, 'Unknown transfer')
    const { from, to, cents, isReversed } = found
    return { id, from, to, amount: amount(cents), fee: amount(fee), reversed: isReversed }
  }

  return startJsonRpc(
    t,
    {
      'account.list': (params) => {
        only(params)
        const all = [...accounts].sort(([one], [other]) => (one < other ? -1 : 1))
        const counted = all.filter(([, cents]) => bug !== 'total-leaves-out-overdrawn' || cents >= 0)
        return {
          accounts: all.map(([name, cents]) => ({ name, balance: amount(cents) })),
          total: amount(counted.reduce((sum, [, cents]) => sum + cents, 0)),
        }
      },
      'account.balance': (params) => {
        only(params, 'account')
        const account = known(params, 'account')
        return { account, balance: amount(accounts.get(account) ?? 0) }
      },
      'entry.list': (params) => {
        only(params, 'account', 'page', 'perPage')
        const account = known(params, 'account')
        const all = entries
          .filter((entry) => entry.account === account)
          .sort((one, other) => {
            const byDay = bug === 'entries-by-id' ? 0 : one.day < other.day ? -1 : Number(one.day > other.day)
            return byDay || (one.id < other.id ? -1 : 1)
          })
        const page = params['page'] === undefined ? 1 : integer(params, 'page', 1, 1_000_000)
        const perPage = params['perPage'] === undefined ? 10 : integer(params, 'perPage', 1, 100)
        const found = all.slice((page - 1) * perPage, page * perPage)
        const isLost = bug === 'last-page-lost' && page > 1 && found.length < perPage
        return {
          entries: (isLost ? [] : found).map(({ id, day, cents, transfer }) => ({
            id,
            day,
            amount: amount(cents),
            transfer,
          })),
          count: all.length,
        }
      },
      'transfer.create': (params) => {
        only(params, 'from', 'to', 'amount', 'day')
        const [from, to] = [known(params, 'from'), known(params, 'to')]
        const given = text(params, 'amount', 12)
        const form = bug === 'negative-amount' ? /^-?\d{1,7}\.\d\d$/ : /^\d{1,7}\.\d\d$/
        if (!form.test(given)) throw new Refusal(-32602, 'Invalid params')
        const day = text(params, 'day', 10)
        if (!/^2026-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])$/.test(day))
          throw new Refusal(-32602, 'Invalid params')
        const cents = Math.round(Number(given) * 100)
        const balance = accounts.get(from) ?? 0
        if (cents + fee > balance)
          throw new Refusal(
            3,
            'Not enough money',
            bug === 'no-balance-in-error' ? undefined : { balance: amount(balance) },
          )
        return transferOf(move(from, to, cents, day))
      },
      'transfer.reverse': (params) => {
        only(params, 'id')
        const id = text(params, 'id', 20, 1)
        const found = transfers.get(id)
        if (found === undefined) throw new Refusal(2, 'Unknown transfer')
        if (found.isReversed) throw new Refusal(4, 'Already reversed')
        found.isReversed = true
        const returned = bug === 'reverse-keeps-fee' ? 0 : fee
        for (const [account, cents] of [
          [found.from, found.cents + returned],
          [found.to, -found.cents],
          [bank, -returned],
        ] as const)
          book(account, cents, found.day, id)
        return transferOf(id)
      },
    },
    {
      shape: (answer) =>
        bug === 'result-beside-error' && 'error' in answer ? { ...answer, result: null } : answer,
    },
  )
}
