import { type Answer, page, redirect } from '../answer.js'
import { changeKey } from '../change-key.js'
import { DashboardError } from '../dashboard-error.js'
import type { DashboardServices } from '../dashboard-services.js'
import { networkTitle } from '../network-title.js'
import { ownKey } from '../own-key.js'
import { ConfirmKeyChangePage, type KeyEnd } from '../pages/confirm-key-change.js'
import type { Routes } from '../routes.js'
import { settingDone } from './settings-routes.js'

const refused = 400

/** Adds what ends a key's URL: rotated, disabled and enabled, deleted; what cannot be undone is asked once more. */
export function addKeyEndRoutes({ own }: Routes, services: DashboardServices): void {
  const { keys, networks, requestsToday } = services
  const confirm = (end: KeyEnd, title: string) =>
    own.get(`/keys/:id/${end}`, async (visit) => {
      const key = await ownKey(keys, visit)
      const requests = await requestsToday([key.id])
      return page(
        title,
        <ConfirmKeyChangePage
          shown={key}
          network={networkTitle(networks, key.network)}
          requestsToday={requests.get(key.id) ?? 0}
          end={end}
        />,
      )
    })
  const change = (word: string, work: (id: string) => Promise<unknown>, done: (id: string) => Answer) =>
    own.post(`/keys/:id/${word}`, async (visit): Promise<Answer> => {
      const { id } = await ownKey(keys, visit)
      const problem = await changeKey(() => work(id))
      if (problem !== undefined) throw new DashboardError(refused, problem)
      return done(id)
    })

  confirm('rotate', 'Rotate a key')
  confirm('delete', 'Delete a key')
  change('rotate', keys.rotate, (id) => redirect(`/keys/${id}?done=rotated&show=url`))
  change('delete', keys.delete, () => redirect('/keys?done=deleted'))
  change('disable', keys.disable, (id) => settingDone(id, 'disabled'))
  change('enable', keys.enable, (id) => settingDone(id, 'enabled'))
}
