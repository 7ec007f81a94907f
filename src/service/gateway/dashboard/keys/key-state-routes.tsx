import { type Answer, page, redirect } from '../answer.js'
import { DashboardError } from '../dashboard-error.js'
import type { DashboardServices } from '../dashboard-services.js'
import { networkTitle } from '../one-key/network-title.js'
import { ownKey } from '../one-key/own-key.js'
import { refusedChange } from '../refused-change.js'
import type { Routes } from '../routes.js'
import type { OwnVisit } from '../visit.js'
import { ConfirmKeyChangePage, graceChoices, type IrreversibleChange } from './confirm-key-change-page.js'

const refused = 400

/**
 * Adds the forms that rotate, disable, enable and delete a key, and end the grace period of its old URL. Irreversible
 * changes have a confirmation page.
 */
export function addKeyStateRoutes({ own }: Routes, services: DashboardServices): void {
  const { keys, networks, keyActivity, limits } = services
  const confirm = (end: IrreversibleChange, title: string) =>
    own.get(`/keys/:id/${end}`, async (visit) => {
      const key = await ownKey(keys, visit)
      const activity = await keyActivity([key.id])
      return page(
        title,
        <ConfirmKeyChangePage
          shown={key}
          network={networkTitle(networks, key.network)}
          chargedToday={activity.get(key.id)?.chargedToday ?? 0}
          end={end}
          graceHours={graceChoices(limits.rotationGraceHours)}
        />,
      )
    })
  const change = (
    word: string,
    work: (id: string, visit: OwnVisit) => Promise<unknown>,
    done: (id: string) => Answer,
  ) =>
    own.post(`/keys/:id/${word}`, async (visit): Promise<Answer> => {
      const { id } = await ownKey(keys, visit)
      const problem = await refusedChange(() => work(id, visit))
      if (problem !== undefined) throw new DashboardError(refused, problem.message)
      return done(id)
    })

  confirm('rotate', 'Rotate a key')
  confirm('delete', 'Delete a key')
  change(
    'rotate',
    (id, { form }) => keys.rotate(id, form('grace') === '' ? 0 : Number(form('grace'))),
    (id) => redirect(`/keys/${id}?show=url`, 'rotated'),
  )
  change('end-grace', keys.endGrace, (id) => redirect(`/keys/${id}/settings`, 'grace-ended'))
  change('delete', keys.delete, () => redirect('/keys', 'deleted'))
  change('disable', keys.disable, (id) => redirect(`/keys/${id}/settings`, 'disabled'))
  change('enable', keys.enable, (id) => redirect(`/keys/${id}/settings`, 'enabled'))
}
