import { createHash } from 'node:crypto'
import type { KeySummary } from '../../keys/index.js'
import type { DashboardLimits } from '../dashboard-services.js'
import { type KeyDetails, readDetails } from '../keys/key-fields.js'
import type { FormProblems } from '../parts/form.js'
import type { Visit } from '../visit.js'

/** Values of a key's settings, as entered. */
export interface SettingsValues extends KeyDetails {
  /** Requests per UTC day; empty for no limit. */
  readonly dailyLimit: string
  /** Requests per UTC month; empty for no limit. */
  readonly monthlyLimit: string
  /** One entry per line, as in the other lists. */
  readonly addresses: string
  readonly origins: string
  readonly contracts: string
  /** `all`, or the allowed methods, separated by spaces; empty if none is selected. */
  readonly methods: string
}

/** Properties of every section of the form. */
export interface SettingsProps {
  readonly values: SettingsValues
  readonly problems?: FormProblems | undefined
  readonly limits: DashboardLimits
  /** IP address of the user. */
  readonly clientAddress: string
}

/** A setting of a key. */
export type SettingName = keyof SettingsValues

/** The settings and their titles, in the order of the page. */
export const settingTitles: Readonly<Record<SettingName, string>> = {
  name: 'Name',
  description: 'Description',
  useCase: 'Use case',
  nodeService: 'Node service',
  dailyLimit: 'Requests per day',
  monthlyLimit: 'Requests per month',
  addresses: 'Client addresses',
  origins: 'Origins',
  contracts: 'Contract addresses',
  methods: 'Methods',
}
const settingNames = Object.keys(settingTitles) as readonly SettingName[]

/** Value of `methods` that allows all of them. */
export const allMethods = 'all'

/** Returns the present values of a key. */
export function settingsOf(key: KeySummary): SettingsValues {
  const { name, description, useCase, nodeService, dailyLimit, monthlyLimit, access } = key
  const lines = (entries: readonly string[] | undefined) => (entries ?? []).join('\n')
  return {
    name,
    description,
    useCase,
    nodeService,
    dailyLimit: String(dailyLimit ?? ''),
    monthlyLimit: String(monthlyLimit ?? ''),
    addresses: lines(access.addresses),
    origins: lines(access.origins),
    contracts: lines(access.contracts),
    methods: access.methods?.toSorted().join(' ') ?? allMethods,
  }
}

/**
 * Reads the settings of a form. Settings that it does not have are absent.
 * @param methodNames the methods that can be selected
 */
export function readSettings(
  { form, sent }: Pick<Visit, 'form' | 'sent'>,
  methodNames: readonly string[],
): Partial<SettingsValues> {
  const chosen = () => methodNames.filter((name) => form(`method-${name}`) !== '').toSorted()
  const values: SettingsValues = {
    ...readDetails(form),
    dailyLimit: form('dailyLimit').trim(),
    monthlyLimit: form('monthlyLimit').trim(),
    addresses: linesOf(form('addresses')),
    origins: linesOf(form('origins')),
    contracts: linesOf(form('contracts')),
    methods: form('methodChoice') === allMethods ? allMethods : chosen().join(' '),
  }
  const isSent = (name: SettingName) => sent(name === 'methods' ? 'methodChoice' : name)
  return Object.fromEntries(settingNames.filter(isSent).map((name) => [name, values[name]]))
}

/** Splits a list at white space and commas, which no entry contains. */
export const entriesOf = (text: string): readonly string[] =>
  text.split(/[\s,]+/).filter((entry) => entry !== '')

const linesOf = (text: string): string => entriesOf(text).join('\n')

const digestCharacters = 10
const digestOf = (text: string) =>
  createHash('sha256').update(text).digest('base64url').slice(0, digestCharacters)

/** Returns digests of all settings. A form carries them, so that later changes of others are noticed. */
export const versionOf = (values: SettingsValues): string =>
  settingNames.map((name) => digestOf(values[name])).join('.')

/** What a form changes. */
export interface SettingsChange {
  /** The values after the change. */
  readonly values: SettingsValues
  /** The settings that the user has changed. */
  readonly changed: readonly SettingName[]
  /** Those of them that were changed elsewhere since the form was shown. */
  readonly conflicts: readonly SettingName[]
}

/**
 * Compares a form with the present settings. Settings that the user did not edit keep their present values, even if
 * others have changed them.
 * @param version `versionOf` the settings that the form showed
 */
export function compareSettings(
  present: SettingsValues,
  typed: Partial<SettingsValues>,
  version: string,
): SettingsChange {
  const shown = version.split('.')
  const wasShown = (name: SettingName, value: string) => shown[settingNames.indexOf(name)] === digestOf(value)
  const changed = settingNames.filter((name) => {
    const value = typed[name]
    return value !== undefined && value !== present[name] && !wasShown(name, value)
  })
  return {
    values: { ...present, ...Object.fromEntries(changed.map((name) => [name, typed[name]])) },
    changed,
    conflicts: changed.filter((name) => !wasShown(name, present[name])),
  }
}
