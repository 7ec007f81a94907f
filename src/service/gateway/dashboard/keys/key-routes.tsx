import { failures } from '@concordat/node-access-contract/errors'
import { OperatorError } from '../../util/index.js'
import { type Answer, page, redirect } from '../answer.js'
import type { DashboardLimits, DashboardServices } from '../dashboard-services.js'
import { ownKey } from '../one-key/own-key.js'
import { ownLimits } from '../own-limits.js'
import type { FormProblems } from '../parts/form.js'
import { refusedChange } from '../refused-change.js'
import type { Routes } from '../routes.js'
import type { OwnVisit } from '../visit.js'
import { readDetails } from './key-fields.js'
import { KeysPage, type Renaming } from './keys-page.js'
import { NewKeyPage, type NewKeyValues } from './new-key-page.js'
import { problemsOf } from './problems-of.js'

const unconfirmed =
  'Confirm your e-mail address before you create a key. To receive a new link, log out and log in again.'
const limitReached = ({ keysPerUser }: DashboardLimits) =>
  `You have ${keysPerUser} keys, the maximum for an account. Delete one to create another.`

/** Returns the confirmation of the action before the redirect; undefined without one. */
function noticeOf(done: string, limits: DashboardLimits): string | undefined {
  const notices: Readonly<Record<string, string>> = {
    deleted: 'Key deleted. Its URL no longer works.',
    renamed: 'Key renamed.',
    limit: limitReached(limits),
    unconfirmed,
  }
  return notices[done]
}
const status = { refused: 400, forbidden: 403 } as const

/** Adds the list of keys and the form that creates a key. */
export function addKeyRoutes({ own }: Routes, services: DashboardServices): void {
  const { accounts, keys, networks, limits, keyActivity } = services

  const list = async ({ user, done }: OwnVisit, renaming?: Renaming) => {
    const shown = await keys.list({ userId: user.userId })
    return page(
      'Keys',
      <KeysPage
        keys={shown}
        activity={await keyActivity(shown.map(({ id }) => id))}
        networks={networks}
        limits={ownLimits(limits, user)}
        isLowered={user.limits.keyLimit !== null}
        limitsReason={user.limitsReason}
        notice={noticeOf(done, ownLimits(limits, user))}
        renaming={renaming}
      />,
      { ...(renaming?.problems && { status: status.refused }) },
    )
  }
  own.get('/keys', (visit) => {
    const id = visit.query('rename')
    return list(visit, id === '' ? undefined : { id })
  })
  own.post('/keys/:id/name', async (visit): Promise<Answer> => {
    const { id } = await ownKey(keys, visit)
    const name = visit.form('name')
    const problem = await refusedChange(() => keys.set(id, { name }))
    if (problem !== undefined) return list(visit, { id, typed: name, problems: problemsOf(problem) })
    return redirect('/keys', 'renamed')
  })
  const isUnconfirmed = ({ user }: OwnVisit) => accounts.verifiesByMail && !user.emailVerified
  own.get('/keys/new', async (visit): Promise<Answer> => {
    if (isUnconfirmed(visit)) return redirect('/keys', 'unconfirmed')
    const { length } = await keys.list({ userId: visit.user.userId })
    if (length >= ownLimits(limits, visit.user).keysPerUser) return redirect('/keys', 'limit')
    return page('Create a key', <NewKeyPage networks={networks} limits={limits} />)
  })
  own.post('/keys', async (visit): Promise<Answer> => {
    const { user, form } = visit
    const values: NewKeyValues = { ...readDetails(form), network: form('network') }
    const again = (code: number, problems: FormProblems) =>
      page(
        'Create a key',
        <NewKeyPage networks={networks} limits={limits} values={values} problems={problems} />,
        { status: code },
      )
    // Every unverified address would otherwise get a free daily quota.
    if (isUnconfirmed(visit)) return again(status.forbidden, { '': unconfirmed })
    if (!networks.has(values.network))
      return again(status.refused, { network: 'Select a network that this service serves.' })
    try {
      const { key } = await keys.create({ user: { id: user.userId }, ...values })
      return redirect(`/keys/${key.id}?show=url`, 'created')
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      if (error.code === 'invalid_input') return again(status.refused, problemsOf(error))
      if (error.code !== 'key_limit_reached') throw error
      return again(failures.keyLimitReached.httpStatus, { '': limitReached(ownLimits(limits, user)) })
    }
  })
}
