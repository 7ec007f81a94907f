import { methods } from '@concordat/node-access-contract/methods'
import type { KeySummary } from '../../keys/index.js'
import { type Answer, page, redirect } from '../answer.js'
import type { DashboardKeyChanges, DashboardServices } from '../dashboard-services.js'
import { problemsOf } from '../keys/problems-of.js'
import { networkTitle } from '../one-key/network-title.js'
import { ownKey } from '../one-key/own-key.js'
import { ownLimits } from '../own-limits.js'
import type { FormProblems } from '../parts/form.js'
import { refusedChange } from '../refused-change.js'
import type { Routes } from '../routes.js'
import type { OwnVisit } from '../visit.js'
import { KeySettingsPage } from './key-settings-page.js'
import {
  allMethods,
  compareSettings,
  entriesOf,
  readSettings,
  type SettingName,
  type SettingsValues,
  settingsOf,
  settingTitles,
} from './settings-values.js'

/** Confirmations by what was done. */
const notices: Readonly<Record<string, string>> = {
  saved: 'Saved. The changes apply immediately.',
  unchanged: 'Nothing was changed.',
  disabled: 'Key disabled. Calls with it are refused.',
  enabled: 'Key enabled. Its URL works again.',
  'grace-ended': 'The old URL no longer works.',
}
const methodNames = Object.values(methods).map(({ name }) => name)
const textNames: readonly SettingName[] = ['name', 'description', 'useCase', 'nodeService']
const limitNames: readonly SettingName[] = ['dailyLimit', 'monthlyLimit']
const listNames: readonly SettingName[] = ['addresses', 'origins', 'contracts', 'methods']
const refused = 400
const conflict = 409
const noMethod = { methods: 'Select at least one method, or allow every method.' }
/** Attempts to save while other changes of the same key are saved. */
const attempts = 3

interface Refused {
  readonly status: number
  readonly values: SettingsValues
  readonly problems: FormProblems
}

/** Adds the settings page of a key and its form. */
export function addSettingsRoutes({ own }: Routes, services: DashboardServices): void {
  const { keys, networks, limits } = services
  const show = ({ done, request, user }: OwnVisit, key: KeySummary, again?: Refused) =>
    page(
      `Settings of ${key.name}`,
      <KeySettingsPage
        shown={key}
        network={networkTitle(networks, key.network)}
        limits={ownLimits(limits, user)}
        present={settingsOf(key)}
        values={again?.values ?? settingsOf(key)}
        problems={again?.problems}
        notice={notices[done]}
        clientAddress={request.ip}
      />,
      { scripts: ['settings.js'], ...(again && { status: again.status }) },
    )

  own.get('/keys/:id/settings', async (visit) => show(visit, await ownKey(keys, visit)))
  own.post('/keys/:id/settings', async (visit): Promise<Answer> => {
    const typed = readSettings(visit, methodNames)
    for (let attempt = 1; ; attempt += 1) {
      const key = await ownKey(keys, visit)
      const present = settingsOf(key)
      const { values, changed, conflicts } = compareSettings(present, typed, visit.form('version'))
      if (conflicts.length > 0)
        return show(visit, key, {
          status: conflict,
          values,
          problems: problemsOfConflicts(conflicts, present),
        })
      const done = redirect(`/keys/${key.id}/settings`, changed.length === 0 ? 'unchanged' : 'saved')
      if (changed.length === 0) return done
      if (values.methods === '') return show(visit, key, { status: refused, values, problems: noMethod })
      const error = await refusedChange(() => keys.set(key.id, changesOf(values, changed), key.changedAt))
      if (error === undefined) return done
      if (error.code === 'invalid_input')
        return show(visit, key, { status: refused, values, problems: problemsOf(error) })
      if (attempt === attempts) throw error
    }
  })
}

function problemsOfConflicts(conflicts: readonly SettingName[], present: SettingsValues): FormProblems {
  const problems = conflicts.map((name) => {
    const value = present[name] === '' ? 'empty' : present[name]
    const shown = name === 'methods' && value === allMethods ? 'all methods' : value
    return [name, `Changed elsewhere since you opened this page. The present value is:\n${shown}`] as const
  })
  const titles = conflicts.map((name) => settingTitles[name]).join(', ')
  return {
    '': `Not saved, because these settings were changed elsewhere since you opened this page: ${titles}. Your entries are below. Save again to replace the other changes.`,
    ...Object.fromEntries(problems),
  }
}

function changesOf(values: SettingsValues, changed: readonly SettingName[]): DashboardKeyChanges {
  const among = (names: readonly SettingName[]) => changed.filter((name) => names.includes(name))
  const entries = (name: SettingName, text: string) =>
    text === (name === 'methods' ? allMethods : '') ? null : entriesOf(text)
  const access = among(listNames).map((name) => [name, entries(name, values[name])] as const)
  return Object.fromEntries([
    ...among(textNames).map((name) => [name, values[name]] as const),
    ...among(limitNames).map((name) => [name, limitOf(values[name])] as const),
    ...(access.length > 0 ? [['access', Object.fromEntries(access)] as const] : []),
  ])
}

/** Parses a limit, also with thousands separators. NaN stands for other texts, which validation then refuses. */
function limitOf(text: string): number | null {
  if (text === '') return null
  const plain = text.replace(/(?<=\d)[, ](?=\d{3}\b)/g, '')
  return /^\d+$/.test(plain) ? Number(plain) : Number.NaN
}
