import { OperatorError } from '../../store/operator-error.js'
import { type Answer, page, redirect } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import { KeysPage } from '../pages/keys.js'
import { NewKeyPage, type NewKeyValues } from '../pages/new-key.js'
import type { FormProblems } from '../parts/form.js'
import type { Routes } from '../routes.js'

const notices: Readonly<Record<string, string>> = {
  deleted: 'The key is deleted, and its URL is dead.',
}
const status = { refused: 400, forbidden: 403, conflict: 409 } as const
/** How messages of refused input begin, by the field that they are about. */
const fieldsByWords: readonly (readonly [words: string, field: keyof NewKeyValues])[] = [
  ['The name', 'name'],
  ['The description', 'description'],
  ['The network', 'network'],
  ['The use case', 'useCase'],
  ['The node service', 'nodeService'],
]

/** Adds the list of keys, and the form that creates one. */
export function addKeyRoutes({ own }: Routes, services: DashboardServices): void {
  const { accounts, keys, networks, limits, requestsToday } = services

  own.get('/keys', async ({ user, query }) => {
    const list = await keys.list({ userId: user.userId })
    return page(
      'Keys',
      <KeysPage
        keys={list}
        requestsToday={await requestsToday(list.map(({ id }) => id))}
        networks={networks}
        keysPerUser={limits.keysPerUser}
        notice={notices[query('done')]}
      />,
    )
  })
  own.get('/keys/new', () => page('Create a key', <NewKeyPage networks={networks} limits={limits} />))
  own.post('/keys', async ({ user, form }): Promise<Answer> => {
    const values: NewKeyValues = {
      name: form('name'),
      network: form('network'),
      description: form('description').replace(/\s+/g, ' '),
      useCase: form('useCase'),
      nodeService: form('nodeService'),
    }
    const again = (code: number, problems: FormProblems) =>
      page(
        'Create a key',
        <NewKeyPage networks={networks} limits={limits} values={values} problems={problems} />,
        { status: code },
      )
    // Addresses that nobody has shown to be theirs would each have a day's requests for nothing.
    if (accounts.verifiesByMail && !user.emailVerified)
      return again(status.forbidden, {
        '': 'Confirm your address first: log out, and log in again for a new link.',
      })
    try {
      const { key } = await keys.create({ user: { id: user.userId }, ...values })
      return redirect(`/keys/${key.id}?done=created&show=url`)
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      if (error.code === 'invalid_input') return again(status.refused, problemOf(error.message))
      if (error.code !== 'key_limit_reached') throw error
      const text = `You have ${limits.keysPerUser} keys, as many as an account can have. Delete one to make another.`
      return again(status.conflict, { '': text })
    }
  })
}

function problemOf(message: string): FormProblems {
  const field = fieldsByWords.find(([words]) => message.startsWith(words))?.[1] ?? ''
  return { [field]: `${message}.` }
}
