import type { AccountQuery, SignedIn } from '../../accounts/index.js'
import { type Answer, page, redirect } from '../answer.js'
import { DashboardError, notFound } from '../dashboard-error.js'
import type { DashboardLimits, DashboardServices } from '../dashboard-services.js'
import { problemsOf } from '../keys/problems-of.js'
import { rangeOf } from '../metrics/metrics-routes.js'
import { ownKey } from '../one-key/own-key.js'
import { addDownload, csv } from '../own-download.js'
import { ownLimits } from '../own-limits.js'
import { Confirmation } from '../parts/confirmation.js'
import type { FormProblems } from '../parts/form.js'
import { refusedChange } from '../refused-change.js'
import type { Routes } from '../routes.js'
import { daysOf } from '../usage/usage-routes.js'
import type { OwnVisit } from '../visit.js'
import { AccountFailuresPage } from './account-failures-page.js'
import { accountOf } from './account-of.js'
import { AccountAdministrationPage } from './account-page.js'
import { AccountsPage, accountOrders } from './accounts-page.js'
import { addLimitsRoutes } from './limits-routes.js'
import { NodesPage } from './nodes-page.js'
import { ReasonField } from './reason-field.js'

const accountsPerPage = 50
/** Last page that can be requested. */
const lastPage = 10_000
const usageDays = 30
/** Columns of the download of all accounts. */
const totals = ['charged', 'received', 'answered', 'unanswered', 'refused', 'failed', 'nodeCalls'] as const
const refused = 400
const conflict = 409
const changes = ['disable', 'enable'] as const
const notices: Readonly<Record<string, string>> = {
  'account-disable': 'Account disabled. Its keys are refused, and its sessions have been ended.',
  'account-enable': 'Account enabled. Its keys work again.',
  limits: 'Limits changed. They apply within a second.',
  'second-factor': 'Second factor reset. Log-ins ask for the password only.',
  'key-disable': 'Key disabled. Its user cannot enable it.',
  'key-enable': 'Key enabled, unless its user has disabled it as well.',
}

/** Adds the pages for operators. Each change has a confirmation page. */
export function addAdministrationRoutes(routes: Routes, services: DashboardServices): void {
  const { operators } = routes
  const { administration } = services
  operators.get('/admin', async ({ query }) => {
    const asked = queryOf(query)
    const list = await administration.accounts(asked)
    const limit = services.limits.requestsPerUserPerDay
    return page('Accounts', <AccountsPage query={asked} list={list} limit={limit} />)
  })
  operators.get('/admin/users/:id', async (visit) => {
    const account = await accountOf(services, visit)
    const range = rangeOf(visit.query('range'))
    const [keys, usage, metrics, sessions] = await Promise.all([
      services.keys.list({ userId: account.id }),
      services.accountUsage(account.id, usageDays),
      services.accountMetrics(account.id, range),
      services.accounts.sessions(account.id),
    ])
    const body = (
      <AccountAdministrationPage
        account={account}
        isOperator={services.accounts.isOperator(account)}
        keys={keys}
        usage={usage}
        range={range}
        metrics={metrics}
        sessions={sessions.length}
        networks={services.networks}
        limits={ownLimits(services.limits, account)}
        notice={notices[visit.done]}
      />
    )
    return page(account.email, body)
  })
  operators.get('/admin/users/:id/failures', async (visit) => {
    const account = await accountOf(services, visit)
    const keys = await services.keys.list({ userId: account.id })
    const causes = await Promise.all(
      keys.map(async ({ id }) => [id, await services.failures.causes(id, {})] as const),
    )
    const hours = services.limits.failureLogHours
    return page(
      `${account.email}: failed calls`,
      <AccountFailuresPage account={account} keys={keys} causes={new Map(causes)} hours={hours} />,
    )
  })
  addDownload(routes, services, '/admin/usage.csv', async ({ user, query }) => {
    if (!services.accounts.isOperator(user)) throw notFound()
    const days = daysOf(query('days'))
    return csv(`usage-of-accounts-${days}-days.csv`, [
      ['account', 'address', ...totals],
      ...(await services.usageOfAccounts(days)).map((account) => [
        account.id,
        account.email,
        ...totals.map((name) => account[name]),
      ]),
    ])
  })
  operators.get('/admin/nodes', () => page('Nodes', <NodesPage networks={services.nodes()} />))
  addSecondFactorReset(operators, services)
  addLimitsRoutes(operators, services)
  addChange(operators, {
    path: '/admin/users/:id',
    what: 'account',
    find: (visit, change) => accountToChange(services, visit, change),
    set: administration.setAccountDisabled,
    limits: services.limits,
  })
  addChange(operators, {
    path: '/admin/users/:account/keys/:id',
    what: 'key',
    find: (visit) => keyToChange(services, visit),
    set: administration.setKeyDisabled,
  })
}

/** Adds the confirmation page and form that reset the second factor of an account. */
function addSecondFactorReset(operators: Routes['operators'], services: DashboardServices): void {
  const path = '/admin/users/:id/second-factor'
  operators.get(path, async (visit) => {
    const { id, email } = await accountOf(services, visit)
    const title = 'Reset the second factor?'
    return page(
      title,
      <Confirmation
        title={title}
        text={`Log-ins of ${email} will ask for the password only, and all sessions end. Do this once you know that the user asks for it.`}
        action={`/admin/users/${id}/second-factor`}
        button="Reset the second factor"
        isDanger
        back={`/admin/users/${id}`}
      />,
    )
  })
  operators.post(path, async (visit) => {
    const { id } = await accountOf(services, visit)
    await services.administration.resetSecondFactor(visit.user, id)
    return redirect(`/admin/users/${id}`, 'second-factor')
  })
}

type Change = (typeof changes)[number]

/** An account or key that an operator disables or enables. */
interface Subject {
  readonly id: string
  /** Path of the subject; the paths of its changes are below it. */
  readonly own: string
  /** Path of the account's page. */
  readonly back: string
  /** Description of the consequences, for the confirmation page. */
  readonly consequences: Readonly<Record<Change, string>>
}

interface ChangeRoute {
  /** Route pattern of the subject. */
  readonly path: string
  readonly what: 'account' | 'key'
  /** @throws DashboardError 404 for an unknown subject; 409 if it must not be changed */
  readonly find: (visit: OwnVisit, change: Change) => Promise<Subject>
  /** Resolves to false or undefined if the subject no longer exists. */
  readonly set: (operator: SignedIn, id: string, isDisabled: boolean, reason: string) => Promise<unknown>
  /** Limits of the reason that the form asks for; undefined if it asks for none. */
  readonly limits?: DashboardLimits
}

/** Adds the confirmation pages and forms for disabling and enabling. */
function addChange(operators: Routes['operators'], { path, what, find, set, limits }: ChangeRoute): void {
  for (const change of changes) {
    const isDisabled = change === 'disable'
    const verb = isDisabled ? 'Disable' : 'Enable'
    const title = `${verb} this ${what}?`
    const show = ({ own, back, consequences }: Subject, reason = '', problems?: FormProblems) => (
      <Confirmation
        title={title}
        text={consequences[change]}
        action={`${own}/${change}`}
        button={`${verb} the ${what}`}
        isDanger={isDisabled}
        back={back}
        fields={limits && <ReasonField limits={limits} value={reason} problems={problems} />}
      />
    )
    operators.get(`${path}/${change}`, async (visit) => page(title, show(await find(visit, change))))
    operators.post(`${path}/${change}`, async (visit): Promise<Answer> => {
      const subject = await find(visit, change)
      const reason = visit.form('reason')
      const problem = await refusedChange(async () => {
        if (!(await set(visit.user, subject.id, isDisabled, reason))) throw notFound()
      })
      if (problem !== undefined)
        return page(title, show(subject, reason, problemsOf(problem)), { status: refused })
      return redirect(subject.back, `${what}-${change}`)
    })
  }
}

/** Finds the account. Operators are protected, because a stolen session could otherwise lock out all of them. */
async function accountToChange(
  services: DashboardServices,
  visit: OwnVisit,
  change: Change,
): Promise<Subject> {
  const account = await accountOf(services, visit)
  const { id, email } = account
  if (change === 'disable' && services.accounts.isOperator(account))
    throw new DashboardError(conflict, 'Accounts of operators cannot be disabled here.')
  const back = `/admin/users/${id}`
  return {
    id,
    own: back,
    back,
    consequences: {
      disable: `All keys of ${email} will be refused within a second. All sessions end, and log-in is not possible.`,
      enable: `The keys of ${email} will work again, except keys that are disabled individually. Log-in is possible again.`,
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
      disable: `The key “${name}” of ${email} will be refused within a second. Its user cannot enable it.`,
      enable: `The key “${name}” of ${email} will work again, unless its user has disabled it as well.`,
    },
  }
}

function queryOf(query: OwnVisit['query']): AccountQuery {
  const number = /^\d{1,5}$/.test(query('page')) ? Number(query('page')) : 1
  return {
    // PostgreSQL refuses text with NUL characters.
    search: query('q').trim().replaceAll('\0', ''),
    order: accountOrders.find((order) => order === query('order')) ?? 'newest',
    skip: (Math.min(Math.max(number, 1), lastPage) - 1) * accountsPerPage,
    most: accountsPerPage,
  }
}
