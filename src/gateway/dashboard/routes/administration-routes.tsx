import type { AccountQuery, AccountSummary, SignedIn } from '../../accounts/account.js'
import { page, redirect } from '../answer.js'
import { DashboardError, notFound } from '../dashboard-error.js'
import type { DashboardServices } from '../dashboard-services.js'
import { ownKey } from '../own-key.js'
import { AccountAdministrationPage } from '../pages/account-administration.js'
import { AccountsPage, accountOrders } from '../pages/accounts.js'
import { Confirmation } from '../parts/confirmation.js'
import type { Routes } from '../routes.js'
import type { OwnVisit } from '../visit.js'

const accountsPerPage = 50
/** Further back nobody turns pages: they search. */
const lastPage = 10_000
const usageDays = 30
const conflict = 409
const changes = ['disable', 'enable'] as const
const notices: Readonly<Record<string, string>> = {
  'account-disable': 'The account is disabled: its keys are refused, and its sessions have ended.',
  'account-enable': 'The account is enabled: its keys work again.',
  'key-disable': 'The key is disabled, and its user cannot enable it.',
  'key-enable': 'The key is no longer disabled by an operator.',
}
const withTables = { styles: ['metrics.css'] } as const

/** Adds what those who run the service see and do; each change is asked for once more, on a page of its own. */
export function addAdministrationRoutes({ operators }: Routes, services: DashboardServices): void {
  const { administration } = services
  operators.get('/admin', async ({ query }) => {
    const asked = queryOf(query)
    const list = await administration.accounts(asked)
    const limit = services.limits.requestsPerUserPerDay
    return page('Accounts', <AccountsPage query={asked} list={list} limit={limit} />, withTables)
  })
  operators.get('/admin/users/:id', async (visit) => {
    const account = await accountOf(services, visit)
    const [keys, usage, sessions] = await Promise.all([
      services.keys.list({ userId: account.id }),
      services.accountUsage(account.id, usageDays),
      services.accounts.sessions(account.id),
    ])
    const body = (
      <AccountAdministrationPage
        account={account}
        isOperator={services.accounts.isOperator(account)}
        keys={keys}
        usage={usage}
        sessions={sessions.length}
        networks={services.networks}
        limit={services.limits.requestsPerUserPerDay}
        notice={notices[visit.query('done')]}
      />
    )
    return page(account.email, body, withTables)
  })
  addChange(operators, {
    path: '/admin/users/:id',
    what: 'account',
    find: (visit, change) => accountToChange(services, visit, change),
    set: administration.setAccountDisabled,
  })
  addChange(operators, {
    path: '/admin/users/:account/keys/:id',
    what: 'key',
    find: (visit) => keyToChange(services, visit),
    set: administration.setKeyDisabled,
  })
}

type Change = (typeof changes)[number]

/** An account or a key that may be disabled, or enabled again. */
interface Subject {
  readonly id: string
  /** Its path; those of its changes are below. */
  readonly own: string
  /** Path of the page of its account. */
  readonly back: string
  /** What comes of each change. */
  readonly consequences: Readonly<Record<Change, string>>
}

interface ChangeRoute {
  /** As routes have it. */
  readonly path: string
  readonly what: 'account' | 'key'
  /** @throws DashboardError where there is no such subject, or it is not to be changed */
  readonly find: (visit: OwnVisit, change: Change) => Promise<Subject>
  /** Resolves to false or undefined where the subject is gone. */
  readonly set: (operator: SignedIn, id: string, isDisabled: boolean) => Promise<unknown>
}

/** Adds the page that asks once more, and the form on it, for both ways. */
function addChange(operators: Routes['operators'], { path, what, find, set }: ChangeRoute): void {
  for (const change of changes) {
    const isDisabled = change === 'disable'
    const verb = isDisabled ? 'Disable' : 'Enable'
    const title = `${verb} this ${what}?`
    operators.get(`${path}/${change}`, async (visit) => {
      const { own, back, consequences } = await find(visit, change)
      return page(
        title,
        <Confirmation
          title={title}
          text={consequences[change]}
          action={`${own}/${change}`}
          button={`${verb} the ${what}`}
          isDanger={isDisabled}
          back={back}
        />,
      )
    })
    operators.post(`${path}/${change}`, async (visit) => {
      const { id, back } = await find(visit, change)
      if (!(await set(visit.user, id, isDisabled))) throw notFound()
      return redirect(`${back}?done=${what}-${change}`)
    })
  }
}

/** Two operators could else lock each other out, and a stolen session all of them. */
async function accountToChange(
  services: DashboardServices,
  visit: OwnVisit,
  change: Change,
): Promise<Subject> {
  const account = await accountOf(services, visit)
  const { id, email } = account
  if (change === 'disable' && services.accounts.isOperator(account))
    throw new DashboardError(conflict, 'An operator’s account is not disabled here.')
  const back = `/admin/users/${id}`
  return {
    id,
    own: back,
    back,
    consequences: {
      disable: `All keys of ${email} are refused within a second, its sessions end, and nobody can log in to it.`,
      enable: `The keys of ${email} work again, but those that are disabled by themselves, and its user can log in.`,
    },
  }
}

async function keyToChange({ keys }: DashboardServices, { params }: OwnVisit): Promise<Subject> {
  const { id, name, userId, email } = await ownKey(keys, {
    params,
    user: { userId: params['account'] ?? '' },
  })
  const back = `/admin/users/${userId}`
  return {
    id,
    own: `${back}/keys/${id}`,
    back,
    consequences: {
      disable: `The key “${name}” of ${email} is refused within a second, and its user cannot enable it.`,
      enable: `The key “${name}” of ${email} works again, where its user has not disabled it as well.`,
    },
  }
}

async function accountOf(
  { administration }: DashboardServices,
  { params }: OwnVisit,
): Promise<AccountSummary> {
  const account = await administration.account(params['id'] ?? '')
  if (account === undefined) throw notFound()
  return account
}

function queryOf(query: OwnVisit['query']): AccountQuery {
  const number = /^\d{1,5}$/.test(query('page')) ? Number(query('page')) : 1
  return {
    // The database takes no text with it.
    search: query('q').trim().replaceAll('\0', ''),
    order: accountOrders.find((order) => order === query('order')) ?? 'newest',
    skip: (Math.min(Math.max(number, 1), lastPage) - 1) * accountsPerPage,
    most: accountsPerPage,
  }
}
