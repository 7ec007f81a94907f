import type { AccountSummary } from '../../accounts/index.js'
import { page, redirect } from '../answer.js'
import { notFound } from '../dashboard-error.js'
import type { DashboardLimits, DashboardServices } from '../dashboard-services.js'
import { problemsOf } from '../keys/problems-of.js'
import { Form, type FormProblems, Input } from '../parts/form.js'
import { numberText } from '../parts/format.js'
import { refusedChange } from '../refused-change.js'
import type { Routes } from '../routes.js'
import { accountOf } from './account-of.js'
import { ReasonField } from './reason-field.js'

const title = 'Limits of an account'
const refused = 400
const wholeNumber = /^\d{1,9}$/

/** Adds the page with which operators lower the limits of an account. */
export function addLimitsRoutes(operators: Routes['operators'], services: DashboardServices): void {
  const { administration, limits } = services
  const path = '/admin/users/:id/limits'
  operators.get(path, async (visit) => {
    const account = await accountOf(services, visit)
    const { dailyLimit, keyLimit } = account.limits
    const values = {
      dailyLimit: String(dailyLimit ?? ''),
      keyLimit: String(keyLimit ?? ''),
      reason: account.limitsReason ?? '',
    }
    return page(title, <LimitsPage account={account} limits={limits} values={values} />)
  })
  operators.post(path, async (visit) => {
    const { form, user } = visit
    const account = await accountOf(services, visit)
    const values = {
      dailyLimit: form('dailyLimit').trim(),
      keyLimit: form('keyLimit').trim(),
      reason: form('reason'),
    }
    const dailyLimit = readLimit(values.dailyLimit, limits.requestsPerUserPerDay)
    const keyLimit = readLimit(values.keyLimit, limits.keysPerUser)
    const again = (problems: FormProblems) =>
      page(title, <LimitsPage account={account} limits={limits} values={values} problems={problems} />, {
        status: refused,
      })
    if (dailyLimit === undefined || keyLimit === undefined)
      return again({
        ...(dailyLimit === undefined && { dailyLimit: rangeText(limits.requestsPerUserPerDay) }),
        ...(keyLimit === undefined && { keyLimit: rangeText(limits.keysPerUser) }),
      })
    const problem = await refusedChange(async () => {
      if (!(await administration.setLimits(user, account.id, { dailyLimit, keyLimit }, values.reason)))
        throw notFound()
    })
    if (problem !== undefined) return again(problemsOf(problem))
    return redirect(`/admin/users/${account.id}`, 'limits')
  })
}

const rangeText = (most: number) =>
  `Enter a whole number from 1 to ${numberText(most)}, or nothing for the limit of every account.`

/** Reads a limit; null for an empty text, undefined for one that is not allowed. */
function readLimit(text: string, most: number): number | null | undefined {
  if (text === '') return null
  const limit = wholeNumber.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= most ? limit : undefined
}

interface LimitsPageProps {
  readonly account: AccountSummary
  /** Those of every account. */
  readonly limits: DashboardLimits
  readonly values: { readonly dailyLimit: string; readonly keyLimit: string; readonly reason: string }
  readonly problems?: FormProblems
}

function LimitsPage({ account, limits, values, problems }: LimitsPageProps) {
  const base = `/admin/users/${account.id}`
  return (
    <section class="narrow">
      <p class="crumbs">
        <a href={base}>{account.email}</a>
      </p>
      <h1>{title}</h1>
      <p>
        Lower limits apply within a second, and the user sees them. Existing keys stay. Each change is logged,
        and the user is told by mail.
      </p>
      <Form action={`${base}/limits`}>
        <Input
          name="dailyLimit"
          label="Requests per day"
          hint={`Empty for ${numberText(limits.requestsPerUserPerDay)}, as for every account.`}
          value={values.dailyLimit}
          inputMode="numeric"
          autocomplete="off"
          problems={problems}
        />
        <Input
          name="keyLimit"
          label="Keys"
          hint={`Empty for ${limits.keysPerUser}, as for every account.`}
          value={values.keyLimit}
          inputMode="numeric"
          autocomplete="off"
          problems={problems}
        />
        <ReasonField limits={limits} value={values.reason} problems={problems} />
        <div class="actions">
          <button type="submit">Change the limits</button>
          <a href={base}>Cancel</a>
        </div>
      </Form>
    </section>
  )
}
